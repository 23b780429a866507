// What a stage does to a submission.
import { isFinal, type Stage, stages } from "@submissions/shared/stages";
import type { Former, TriageStatus } from "../records.ts";

/** The stage of a kind without stages means nothing. */
export type Staged = Omit<Former, "mails">;

/** @param reason why it is declined, if it is; null: none is given, and one that is there stays */
export function restaged(before: Staged, stage: Stage, reason: string | null, at: number): Staged {
  if (stage === before.stage)
    return stage === "declined" && reason !== null ? { ...before, declineReason: reason } : before;
  return {
    stage,
    status: statusAfter(before, stage),
    declineReason: stage === "declined" ? reason : null,
    decidedAt: isFinal(stage) ? at : null,
  };
}

/** What was ended and comes back to the beginning is to be done again. Spam stays spam: a stage releases no mails. */
function statusAfter({ status, stage: before }: Staged, stage: Stage): TriageStatus {
  if (status === "spam") return status;
  if (isFinal(stage)) return "done";
  if (stage !== stages[0]) return "open";
  return isFinal(before) && status === "done" ? "open" : status;
}
