// Gets a challenge from a service that asks for proofs of work, and solves it.
import { altchaChallengePath } from "@submissions/shared/hidden-fields";
import { SubmissionError } from "../sdk/submission-error.ts";

/**
 * A fresh solution, for one submission.
 *
 * @throws SubmissionError when there is no challenge, or the reason of the signal
 */
export async function proveWork(endpoint: string, signal: AbortSignal): Promise<string> {
  const challenge = await freshChallenge(endpoint + altchaChallengePath, signal);
  const { solveChallenge } = await import("./solve-challenge.ts");
  return solveChallenge(challenge, signal);
}

async function freshChallenge(url: string, signal: AbortSignal): Promise<unknown> {
  const response = await fetch(url, { signal }).catch((cause: unknown) => {
    signal.throwIfAborted();
    // TypeError: no answer, or one that the browser hides.
    throw notSent({ code: "NETWORK", cause });
  });
  if (!response.ok)
    throw notSent({
      code: "UNEXPECTED_RESPONSE",
      status: response.status,
      retryAfterSeconds: Number(response.headers.get("retry-after")) || undefined,
    });
  return response.json();
}

const notSent = (facts: Omit<ConstructorParameters<typeof SubmissionError>[0], "message">) =>
  new SubmissionError({ ...facts, message: "There is no challenge.", mayHaveArrived: false });
