// The typed client of the submission interface, the entry of the package. It runs in every runtime with `fetch`: browsers,
// workers, Node 20 and later.
import { buildClient } from "./build-client.ts";
import type { SubmissionsClientOptions, SubmissionsClient } from "./submissions-client.ts";
import { systemClock } from "./retry.ts";
import { SubmissionError } from "./submission-error.ts";

export type { FaultCode, Issue } from "@submissions/shared/faults";
export { SubmissionError };
export type { ApplicationOptions, CallOptions, Consent, SubmissionsClientOptions } from "./submissions-client.ts";
export type { RetryOptions } from "./retry.ts";
export type { SubmissionErrorCode, SubmissionErrorFacts } from "./submission-error.ts";
export type * from "./submissions.ts";
export type { SubmissionsClient } from "./submissions-client.ts";
export type { UploadProgress } from "./upload-progress.ts";

/**
 * A client of the submission service.
 *
 * @example
 * ```ts
 * const submissions = createSubmissionsClient({ url: "https://submissions.example.org" });
 *
 * try {
 *   const receipt = await submissions.newsletter.subscribe({ email }, { signal: AbortSignal.timeout(60_000) });
 *   show(receipt.message);
 * } catch (error) {
 *   if (error instanceof SubmissionError) show(error.issue("email")?.message ?? error.message);
 *   else throw error;
 * }
 * ```
 *
 * @example Sent once only; or again for ten minutes, by a job in the background
 * ```ts
 * createSubmissionsClient({ url, retry: false });
 * createSubmissionsClient({ url, retry: { tries: 20, giveUpAfterMs: 600_000 } });
 * ```
 *
 * @throws TypeError when `url` is not an http or https address, a header is malformed, or a number of `retry` is out of
 * bounds
 */
export function createSubmissionsClient(options: SubmissionsClientOptions): SubmissionsClient {
  return buildClient(options, systemClock);
}
