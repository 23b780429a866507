// Who is waited for, computed from facts: the status, and when the last reply and the last answer came.
import type { WaitedFor } from "@submissions/shared/console";
import type { StoredSubmission } from "../records.ts";

type Facts = Pick<StoredSubmission, "status" | "receivedAt" | "lastReplyAt" | "lastAnswerAt">;

/** Of open submissions, in SQL: exactly as the indexes `submission_ours` and `submission_theirs` have it. */
export const openWaits = {
  ours: "coalesce(last_reply_at, 0) <= coalesce(last_answer_at, 0)",
  theirs: "coalesce(last_reply_at, 0) > coalesce(last_answer_at, 0)",
} as const;

/** In SQL, of the index `submission_wrote_back`: open, replied to, and the person has written since. */
export const wroteBack = "status = 'open' AND last_answer_at >= last_reply_at";

/** Null: none. New ones wait for us, open ones for whom the other wrote to last. */
export function waitedFor({ status, lastReplyAt, lastAnswerAt }: Facts): WaitedFor | null {
  if (status !== "new" && status !== "open") return null;
  return status === "open" && (lastReplyAt ?? 0) > (lastAnswerAt ?? 0) ? "them" : "us";
}

/** When what is written now counts as written: behind what came last, also where a clock was ahead that has been set back. */
export const writtenAt = (at: number, { lastReplyAt, lastAnswerAt }: Pick<Facts, "lastReplyAt" | "lastAnswerAt">) =>
  Math.max(at, (lastReplyAt ?? 0) + 1, (lastAnswerAt ?? 0) + 1);

/** Since when a submission waits for us: since it came, or since the person wrote after a reply. */
export const waitingSince = ({ receivedAt, lastReplyAt, lastAnswerAt }: Facts): number =>
  lastReplyAt === null ? receivedAt : (lastAnswerAt ?? receivedAt);

/** In SQL: it is not snoozed. @param now how the text names the time */
export const isAwake = (now: string): string => `(snoozed_until IS NULL OR snoozed_until <= ${now})`;
