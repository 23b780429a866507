// The rejection of a call, for tests that look into it.
import { SubmissionError } from "@submissions/client";

/** What a call is rejected with. Throws when it is anything other than a SubmissionError. */
export async function failureOf(call: Promise<unknown>): Promise<SubmissionError> {
  const outcome = await call.then(
    () => new Error("The call was expected to fail."),
    (error: unknown) => error,
  );
  if (outcome instanceof SubmissionError) return outcome;
  throw outcome;
}
