// What a change by an operator, also of the stage, does to a submission.
import { tagsMax, type TriageOutcome, type TriageRequest } from "@submissions/shared/console";
import { picked } from "../../field-values.ts";
import type { Actor, AuditEntry } from "../desk-store.ts";
import type { Former, StoredSubmission, TriageStatus } from "../records.ts";
import { stageOf } from "./submission-row.ts";
import { isFinal, type Stage, stages } from "@submissions/shared/stages";

export interface Triaged
  extends Pick<StoredSubmission, "reference" | "kind" | "assignee" | "version" | "snoozedUntil">, Staged {
  /** When it was set to done; null: it is not. */
  readonly doneAt: number | null;
}

/** `declineReason`: of a stage that declines. `former`: what the submission becomes again. */
export interface Triage extends Omit<TriageRequest, "targets"> {
  readonly declineReason?: string | null;
  readonly former?: Former | undefined;
}

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

/** What becomes of a submission; null: it was changed since the operator saw it. */
export function decideTriage(
  before: Triaged,
  seenVersion: number,
  { stage: asked = before.stage, declineReason = null, former, ...request }: Triage,
  { at }: Actor,
): { readonly after: Triaged; readonly entries: readonly AuditEntry[] } | null {
  if (before.version !== seenVersion) return null;
  const { reference: subject, kind, ...from } = before;
  const staged = former ?? restaged(before, stageOf(kind, asked) ?? before.stage, declineReason, at);
  const { status = staged.status, assignee = before.assignee, snoozedUntil = before.snoozedUntil } = request;
  const entries: AuditEntry[] = [];
  const note = (action: string, was: string | number | null, to: string | number | null) => {
    if (to !== was) entries.push({ action, subject, detail: { from: was, to } });
  };
  note("stage", from.stage, staged.stage);
  // Declined again, for another reason.
  if (staged.stage === from.stage && staged.declineReason !== from.declineReason)
    entries.push({ action: "stage", subject, detail: { from: from.stage, to: staged.stage } });
  note("status", from.status, status);
  note("assignee", from.assignee, assignee);
  note("snooze", from.snoozedUntil, snoozedUntil);
  const isToDo = status === "new" || status === "open";
  const version = entries.length > 0 ? before.version + 1 : before.version;
  return {
    after: {
      ...before,
      ...picked(staged, ["stage", "declineReason", "decidedAt"]),
      status,
      assignee,
      version,
      // What is not to be done is not put off either.
      snoozedUntil: isToDo ? snoozedUntil : null,
      doneAt: status === "done" ? (before.doneAt ?? at) : null,
    },
    entries,
  };
}

/** The tags of a submission after a change. One that is full gets no further one. */
export function retagged(before: readonly string[], add: string | undefined, remove: string | undefined): string[] {
  const left = before.filter((word) => word !== remove && word !== add);
  if (add !== undefined && (left.length < tagsMax || before.includes(add))) left.push(add);
  return left.toSorted((one, other) => one.localeCompare(other, "en"));
}

/** Each of these actions shows that the submission was not spam at some time. `release` is in the logs of earlier versions. */
export const statusActions = ["status", "release"] as const;
/** The actions that change the version of a submission. */
export const changingActions = ["status", "stage", "assignee", "snooze", "release"] as const;

/** @param last who changed it last, and when */
export function conflict(row: Triaged, last: Actor | undefined): TriageOutcome {
  const { operator: changedBy = null, at: changedAt = null } = last ?? {};
  const asItIs = picked(row, ["reference", "version", "status", "assignee"]);
  return { result: "conflict", ...asItIs, stage: stageOf(row.kind, row.stage), changedBy, changedAt };
}
