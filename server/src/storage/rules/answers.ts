// What follows from a mail that came in about a submission.
import { toldAgainMs } from "../inbound-store.ts";
import type { AnswerSender, TriageStatus } from "../records.ts";

/** In the audit log: what an answer changes, no operator does. */
export const answerActor = "answer";

/** @param isColleagues whether it is from an address that would be told of it: nothing is sent to the sender of a mail */
export function decideAnswer(
  status: TriageStatus,
  toldAt: number | null,
  sender: AnswerSender,
  isColleagues: boolean,
  at: number,
) {
  // What a program wrote needs no answer, and spam is to stay out of sight.
  const isHeard = sender !== "automatic" && status !== "spam";
  const isPersons = isHeard && sender === "person";
  return {
    /** It waits for us from now on, and is snoozed no more. */
    waits: isPersons,
    reopens: isPersons && status === "done",
    tells: isHeard && !isColleagues && (toldAt === null || Math.abs(at - toldAt) >= toldAgainMs),
    announces: isHeard,
  };
}
