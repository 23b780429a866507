// Turns anything thrown into an entry of the fault table. The text of what is not recognised stays in the log.
import { faults, type ErrorData, type FaultCode, type FaultName, type Issue } from "@submissions/shared/faults";
import { TRPCError, type TRPC_ERROR_CODE_NUMBER } from "@trpc/server";
import { TRPC_ERROR_CODES_BY_KEY } from "@trpc/server/rpc";
import { ZodError } from "zod";
import { Fault } from "../fault.ts";
import type { Problem } from "../intake/call.ts";
import { VaultUnavailable } from "../resumes/vault.ts";
import { ReadTooSlow, StorageUnavailable } from "../storage/store.ts";

export interface Failure {
  readonly fault: FaultName;
  readonly status: number;
  readonly code: FaultCode;
  readonly message: string;
  readonly issues?: readonly Issue[] | undefined;
  readonly retryAfterSeconds?: number | undefined;
  /** The media types that would be taken. */
  readonly accepted?: readonly string[] | undefined;
}

/** A storage that is unusable is mostly back within seconds, and asking more often only adds load. */
export const storageRetrySeconds = 5;

export function describeFailure(error: unknown): Failure {
  if (error instanceof Fault) {
    const { fault, issues, retryAfterSeconds, accepted, message } = error;
    return { ...failure(fault, issues, retryAfterSeconds), message, accepted };
  }
  if (error instanceof StorageUnavailable || error instanceof VaultUnavailable) {
    return failure("storageUnavailable", undefined, storageRetrySeconds);
  }
  if (error instanceof ReadTooSlow) return failure("readTooSlow", undefined, storageRetrySeconds);
  // tRPC wraps what the console's procedures throw. Any other error of tRPC is a bug of ours.
  if (!(error instanceof TRPCError) || error.cause instanceof TRPCError) return failure("internal");
  const isInput = error.code === "BAD_REQUEST" && error.cause instanceof ZodError;
  return describeFailure(isInput ? inputRefused(error.cause) : error.cause);
}

function failure(fault: FaultName, issues?: readonly Issue[], retryAfterSeconds?: number): Failure {
  const { status, code, message } = faults[fault];
  return { fault, status, code, message, issues, retryAfterSeconds };
}

/** The refusal of an input: what its schema found, what that cannot see, and what is wrong with fields that neither names. */
export function inputRefused(
  error: ZodError | undefined,
  problems: readonly Problem[] = [],
  more: readonly Issue[] = [],
): Fault {
  const issues = error === undefined ? [] : issuesOf(error);
  if (issues.some(({ path }) => path.length === 0)) return new Fault("bodyNotObject");
  issues.push(...problems.map(({ path, message }) => ({ path, message })));
  const named = new Set(issues.map(({ path }) => JSON.stringify(path)));
  issues.push(...more.filter(({ path }) => !named.has(JSON.stringify(path))));
  const [only] = problems;
  return new Fault(only !== undefined && issues.length === 1 ? only.fault : "fieldsInvalid", { issues });
}

/** What a schema found wrong, in the words for the caller and without zod's own terms. */
export function issuesOf(error: ZodError): Issue[] {
  return error.issues.flatMap(({ path, message, ...issue }) => {
    const named = path.map((part) => (typeof part === "number" ? part : String(part)));
    if (issue.code !== "unrecognized_keys") return { path: named, message };
    return issue.keys.map((key) => ({ path: [...named, key], message: "There is no such field." }));
  });
}

/** tRPC's envelope around the words of the table: `error.message` and `error.data` say what a REST body says. */
export interface ErrorShape {
  readonly message: string;
  readonly code: TRPC_ERROR_CODE_NUMBER;
  readonly data: ErrorData;
}

export function errorShape(failed: Failure, path: string | undefined, requestId: string): ErrorShape {
  const { status, code, message, issues, retryAfterSeconds } = failed;
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
