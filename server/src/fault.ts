// The one expected error. Code that refuses a request throws it, by its name in the shared table. The doors answer with it.
import { faults, type FaultName, type Issue } from "@submissions/shared/faults";
import { OperatorError } from "./operator-error.ts";

interface FaultDetail {
  readonly issues?: readonly Issue[];
  /** When another try makes sense, in seconds; becomes `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** The media types that would be taken: named behind the table's message. */
  readonly accepted?: readonly string[];
  /** What happened, for the log only. */
  readonly cause?: unknown;
}

/** An expected refusal. Its message is the table's, with the accepted media types where those are the matter. */
export class Fault extends OperatorError {
  readonly fault: FaultName;
  readonly issues: readonly Issue[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly accepted: readonly string[] | undefined;

  constructor(fault: FaultName, { issues, retryAfterSeconds, accepted, cause }: FaultDetail = {}) {
    const { message } = faults[fault];
    super(
      accepted ? `${message} Send ${accepted.join(" or ")}.` : message,
      cause === undefined ? undefined : { cause },
    );
    this.fault = fault;
    this.issues = issues;
    this.retryAfterSeconds = retryAfterSeconds;
    this.accepted = accepted;
  }
}

export const fieldInvalid = (field: string, message: string): Fault =>
  new Fault("fieldsInvalid", { issues: [{ path: [field], message }] });
