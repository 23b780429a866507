// Turns whatever was thrown into an entry of the fault table. What is not recognised is ours to answer for: an internal
// fault whose text stays in the log.
import { faults, type FaultCode, type FaultName, type Issue } from "@submissions/shared/faults";
import { TRPCError } from "@trpc/server";
import { ZodError } from "zod";
import { Fault } from "../fault.ts";
import { VaultUnavailable } from "../resumes/vault.ts";
import { StorageUnavailable } from "../storage/store.ts";

/** A failure as callers may see it. */
export interface Failure {
  readonly fault: FaultName;
  readonly status: number;
  readonly code: FaultCode;
  readonly message: string;
  readonly issues?: readonly Issue[];
  readonly retryAfterSeconds?: number;
}

// A storage that is unusable is mostly back within seconds; asking more often only adds load.
const storageRetrySeconds = 5;

/** The entry of the table for anything thrown. */
export function describeFailure(error: unknown): Failure {
  if (error instanceof Fault) return failure(error.fault, error.issues, error.retryAfterSeconds);
  if (error instanceof StorageUnavailable || error instanceof VaultUnavailable) {
    return failure("storageUnavailable", undefined, storageRetrySeconds);
  }
  if (!(error instanceof TRPCError)) return failure("internal");
  // A schema that fails with any other code than this one failed on our output, not on the caller's input.
  if (error.code === "BAD_REQUEST" && error.cause instanceof ZodError) return describeIssues(error.cause);
  if (error.code === "NOT_FOUND") return failure("notFound");
  return error.cause instanceof TRPCError ? failure("internal") : describeFailure(error.cause);
}

function failure(fault: FaultName, issues?: readonly Issue[], retryAfterSeconds?: number): Failure {
  const { status, code, message } = faults[fault];
  return {
    fault,
    status,
    code,
    message,
    ...(issues === undefined ? {} : { issues }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  };
}

function describeIssues(error: ZodError): Failure {
  const issues = issuesOf(error);
  return issues.some(({ path }) => path.length === 0) ? failure("bodyNotObject") : failure("fieldsInvalid", issues);
}

/** What a schema found wrong, in the words for the caller and without zod's own terms. */
export function issuesOf(error: ZodError): Issue[] {
  return error.issues.map(({ path, message }) => ({
    path: path.map((part) => (typeof part === "number" ? part : String(part))),
    message,
  }));
}
