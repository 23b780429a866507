// The one error of the client: everything that can become of a submission other than a receipt. It knows nothing of
// tRPC or of HTTP beyond a status.
import type { FaultCode, Issue } from "@submissions/shared/faults";

/**
 * Why a submission was not accepted.
 *
 * - The service's own codes, such as `BAD_REQUEST`, `PAYLOAD_TOO_LARGE` or `SERVICE_UNAVAILABLE`: it was refused, and
 *   nothing was stored. Two do not promise that: `INTERNAL_SERVER_ERROR`, and `CONFLICT`, where another call with the
 *   same key is under way.
 * - `NETWORK`: no whole answer came. Whether the submission arrived is unknown.
 * - `UNEXPECTED_RESPONSE`: something other than the service answered, a proxy's error page for example. Whether the
 *   submission arrived is unknown.
 *
 * This is the last of a call's tries; what the earlier ones leave open is in {@link SubmissionError.mayHaveArrived}.
 *
 * @example
 * ```ts
 * const offline: SubmissionErrorCode = "NETWORK";
 * if (error.code === offline) show("Are you online?");
 * ```
 */
export type SubmissionErrorCode = FaultCode | "NETWORK" | "UNEXPECTED_RESPONSE";

// After these nobody but the service knows.
const uncertain: ReadonlySet<SubmissionErrorCode> = new Set([
  "NETWORK",
  "UNEXPECTED_RESPONSE",
  "INTERNAL_SERVER_ERROR",
  "CONFLICT",
]);

/**
 * What a {@link SubmissionError} is made of.
 *
 * @example A test of a form, which wants to see it refused
 * ```ts
 * throw new SubmissionError({ code: "SERVICE_UNAVAILABLE", message: "Please try again in a moment.", status: 503 });
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
  /** By default what the code says. */
  readonly mayHaveArrived?: boolean | undefined;
  /** What was thrown underneath. For logs, not for people. */
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

  /** What happened, for programs. The message says it for people. */
  readonly code: SubmissionErrorCode;

  /** HTTP status of the answer; undefined when none came. */
  readonly status: number | undefined;

  /** To be quoted when asking for help: the service's log has it too. Undefined when the service did not answer. */
  readonly requestId: string | undefined;

  /** Every problem with the fields that were sent; empty when the failure is not about fields. */
  readonly issues: readonly Issue[];

  /** In how many seconds the service suggests to try again, if it said so. */
  readonly retryAfterSeconds: number | undefined;

  /**
   * The key that the submission was sent with. Sending the same content again with it, within 24 hours, cannot make a
   * second submission, even if the first one arrived after all.
   */
  readonly idempotencyKey: string | undefined;

  /**
   * Whether the submission may have been taken all the same, by this call or another one with its key: true when any of
   * the tries got no answer that says otherwise. Send it again with its key then, rather than without.
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
  issue(...path: readonly [field: string, ...rest: readonly (string | number)[]]): Issue | undefined {
    return this.issues.find((issue) => path.every((part, depth) => issue.path[depth] === part));
  }
}
