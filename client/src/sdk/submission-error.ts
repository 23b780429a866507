// The one error of the client: what a submission ends with when there is no receipt.
import type { FaultCode, Issue } from "@submissions/shared/faults";
import type { FieldName } from "./submissions.ts";

/**
 * Why a submission was not accepted.
 *
 * - The service's own codes (`BAD_REQUEST`, `PAYLOAD_TOO_LARGE`, `TOO_MANY_REQUESTS` and others): it was refused, and
 *   nothing was stored. Three codes do not promise that: `INTERNAL_SERVER_ERROR`; `SERVICE_UNAVAILABLE`, because the
 *   connection to the database may have broken during the commit; and `CONFLICT`, when another call with the same key is
 *   still running.
 * - `NETWORK`: no complete answer came. Whether the submission arrived is unknown.
 * - `UNEXPECTED_RESPONSE`: the answer is not the service's, for example a proxy's error page. Whether the submission
 *   arrived is unknown.
 *
 * It is the code of a call's last try. {@link SubmissionError.mayHaveArrived} takes all tries into account.
 *
 * @example
 * ```ts
 * const offline: SubmissionErrorCode = "NETWORK";
 * if (error.code === offline) show("Are you online?");
 * ```
 */
export type SubmissionErrorCode = FaultCode | "NETWORK" | "UNEXPECTED_RESPONSE";

// After these only the service knows whether the submission arrived.
const uncertain: ReadonlySet<SubmissionErrorCode> = new Set([
  "NETWORK",
  "UNEXPECTED_RESPONSE",
  "INTERNAL_SERVER_ERROR",
  "SERVICE_UNAVAILABLE",
  "CONFLICT",
]);

/**
 * What a {@link SubmissionError} is made of.
 *
 * @example A test of a form that is refused
 * ```ts
 * throw new SubmissionError({ code: "TOO_MANY_REQUESTS", message: "Please try again in a moment.", status: 429 });
 * ```
 */
export interface SubmissionErrorFacts {
  readonly code: SubmissionErrorCode;
  /** Safe to show to a person. */
  readonly message: string;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly issues?: readonly Issue[] | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly idempotencyKey?: string | undefined;
  /** By default as the code says. */
  readonly mayHaveArrived?: boolean | undefined;
  /** The underlying error. For logs, not for people. */
  readonly cause?: unknown;
}

/**
 * A submission that was not accepted.
 *
 * @example Show what is wrong with a form
 * ```ts
 * try {
 *   await submissions.newsletter.subscribe({ email });
 * } catch (error) {
 *   if (!(error instanceof SubmissionError)) throw error;
 *   emailHint.textContent = error.issue("email")?.message ?? "";
 *   banner.textContent = error.message;
 * }
 * ```
 */
export class SubmissionError extends Error {
  override readonly name = "SubmissionError";

  /** What happened, for programs. The message is for people. */
  readonly code: SubmissionErrorCode;

  /** HTTP status of the answer; undefined when none came. */
  readonly status: number | undefined;

  /** The id of the request in the service's log. Quote it when asking for help. Undefined when the service did not answer. */
  readonly requestId: string | undefined;

  /** All problems with the fields; empty when the failure is not about fields. */
  readonly issues: readonly Issue[];

  /** When to try again, in seconds, if the service said so. */
  readonly retryAfterSeconds: number | undefined;

  /**
   * The key that the submission was sent with. Sending the same content again with it within 24 hours cannot make a
   * second submission, even if the first one arrived.
   */
  readonly idempotencyKey: string | undefined;

  /**
   * Whether the submission may have been stored all the same, by this call or another one with its key: true when the
   * outcome of any try is unknown. If you send it again, send it with its key.
   */
  readonly mayHaveArrived: boolean;

  constructor(facts: SubmissionErrorFacts) {
    super(facts.message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = facts.code;
    this.status = facts.status;
    this.requestId = facts.requestId;
    this.issues = facts.issues ?? [];
    this.retryAfterSeconds = facts.retryAfterSeconds;
    this.idempotencyKey = facts.idempotencyKey;
    this.mayHaveArrived = facts.mayHaveArrived ?? uncertain.has(facts.code);
  }

  /**
   * The first problem of a field, or of one place in it.
   *
   * @example
   * ```ts
   * error.issue("email")?.message; // "Enter one e-mail address, like name@example.org."
   * error.issue("selectedPackageIds"); // of the list or of any of its items
   * error.issue("selectedPackageIds", 2); // of its third item only
   * ```
   */
  issue(...path: readonly [field: FieldName, ...rest: readonly (string | number)[]]): Issue | undefined {
    return this.issues.find((issue) => path.every((part, depth) => issue.path[depth] === part));
  }
}
