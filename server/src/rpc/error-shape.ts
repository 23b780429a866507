// How a failed call looks to a typed caller: tRPC's envelope around the words of the fault table, so that `error.message`
// and `error.data` say what a REST caller reads in the body.
import type { TRPC_ERROR_CODE_NUMBER } from "@trpc/server";
import { TRPC_ERROR_CODES_BY_KEY } from "@trpc/server/rpc";
import type { FaultCode, Issue } from "@submissions/shared/faults";
import { describeFailure } from "./failure.ts";

/** What a typed caller finds in `error.data`. */
export interface ErrorData {
  readonly code: FaultCode;
  readonly httpStatus: number;
  /** The procedure. */
  readonly path?: string;
  readonly requestId: string;
  readonly issues?: readonly Issue[];
  /** What `Retry-After` says: a call in a batch has no headers of its own, and a streamed one none that come in time. */
  readonly retryAfterSeconds?: number;
}

export interface ErrorShape {
  readonly message: string;
  /** JSON-RPC's number for the code. */
  readonly code: TRPC_ERROR_CODE_NUMBER;
  readonly data: ErrorData;
}

/** The shape of anything thrown. */
export function errorShape(error: unknown, path: string | undefined, requestId: string): ErrorShape {
  const { status, code, message, issues, retryAfterSeconds } = describeFailure(error);
  return {
    message,
    code: TRPC_ERROR_CODES_BY_KEY[code],
    data: {
      code,
      httpStatus: status,
      ...(path === undefined ? {} : { path }),
      requestId,
      ...(issues === undefined ? {} : { issues }),
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    },
  };
}
