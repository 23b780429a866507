// Turns anything thrown into a fault. The text of what is not recognised stays in the log.
import { faults, type ErrorData, type Issue } from "@submissions/shared/faults";
import { TRPCError, type TRPC_ERROR_CODE_NUMBER } from "@trpc/server";
import { TRPC_ERROR_CODES_BY_KEY } from "@trpc/server/rpc";
import { ZodError } from "zod";
import { Fault } from "../fault.ts";
import type { Problem } from "../intake/call.ts";
import { VaultUnavailable } from "../resumes/vault.ts";
import { ReadTooSlow, StorageUnavailable } from "../storage/store.ts";

/** A storage that is unusable is mostly back within seconds, and asking more often only adds load. */
export const storageRetrySeconds = 5;

/** What the caller is answered with. */
export function faultOf(error: unknown): Fault {
  if (error instanceof Fault) return error;
  const retryAfterSeconds = storageRetrySeconds;
  if (error instanceof StorageUnavailable || error instanceof VaultUnavailable) {
    return new Fault("storageUnavailable", { retryAfterSeconds });
  }
  if (error instanceof ReadTooSlow) return new Fault("readTooSlow", { retryAfterSeconds });
  // tRPC wraps what the console's procedures throw. Any other error of tRPC is a bug of ours.
  if (!(error instanceof TRPCError) || error.cause instanceof TRPCError) return new Fault("internal");
  const isInput = error.code === "BAD_REQUEST" && error.cause instanceof ZodError;
  return isInput ? inputRefused(error.cause) : faultOf(error.cause);
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

export function errorShape(failed: Fault, path: string | undefined, requestId: string): ErrorShape {
  const { fault, message, issues, retryAfterSeconds } = failed;
  const { status, code } = faults[fault];
  const data: ErrorData = {
    code,
    httpStatus: status,
    ...(path === undefined ? {} : { path }),
    requestId,
    ...(issues === undefined ? {} : { issues }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  };
  return { message, code: TRPC_ERROR_CODES_BY_KEY[code], data };
}
