// The one expected error. Code that refuses a request throws it, by its name in the shared table. The doors answer with it.
import { faults, type FaultName, type Issue } from "@submissions/shared/faults";
import { OperatorError } from "./operator-error.ts";

interface FaultDetail {
  readonly issues?: readonly Issue[];
  /** When another try makes sense, in seconds; becomes `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** What happened, for the log only. */
  readonly cause?: unknown;
}

/** An expected refusal. Its message is the table's. */
export class Fault extends OperatorError {
  readonly fault: FaultName;
  readonly issues: readonly Issue[] | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(fault: FaultName, { issues, retryAfterSeconds, cause }: FaultDetail = {}) {
    super(faults[fault].message, cause === undefined ? undefined : { cause });
    this.fault = fault;
    this.issues = issues;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export const fieldInvalid = (field: string, message: string): Fault =>
  new Fault("fieldsInvalid", { issues: [{ path: [field], message }] });
