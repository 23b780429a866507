// What a change by an operator does to a submission.
import { tagsMax, type TriageOutcome, type TriageRequest } from "@submissions/shared/console";
import type { Actor, AuditEntry } from "../desk-store.ts";
import type { StoredSubmission } from "../records.ts";

export interface Triaged extends Pick<StoredSubmission, "reference" | "status" | "assignee" | "version"> {
  readonly respondedAt: number | null;
}

/** What becomes of a submission; null: it was changed since the operator saw it. */
export function decideTriage(
  before: Triaged,
  seenVersion: number,
  { status = before.status, assignee = before.assignee }: TriageRequest,
  { at }: Actor,
): { readonly after: Triaged; readonly entries: readonly AuditEntry[] } | null {
  if (before.version !== seenVersion) return null;
  const { reference: subject, ...from } = before;
  const entries: AuditEntry[] = [];
  if (status !== from.status) entries.push({ action: "status", subject, detail: { from: from.status, to: status } });
  if (assignee !== from.assignee)
    entries.push({ action: "assignee", subject, detail: { from: from.assignee, to: assignee } });
  const responds = before.status === "new" && status !== "new";
  const version = entries.length > 0 ? before.version + 1 : before.version;
  return {
    after: { ...before, status, assignee, version, respondedAt: before.respondedAt ?? (responds ? at : null) },
    entries,
  };
}

/** The tags of a submission after a change. One that is full gets no further one. */
export function retagged(before: readonly string[], add: string | undefined, remove: string | undefined): string[] {
  const left = before.filter((word) => word !== remove && word !== add);
  if (add !== undefined && (left.length < tagsMax || before.includes(add))) left.push(add);
  return left.toSorted((one, other) => one.localeCompare(other));
}

/** Each of these actions shows that the submission was not spam at some time. `release` is in the logs of earlier versions. */
export const statusActions = ["status", "release"] as const;
/** The actions that change the version of a submission. */
export const changingActions = ["status", "assignee", "release"] as const;

/** @param last who changed it last, and when */
export function conflict({ reference, version, status, assignee }: Triaged, last: Actor | undefined): TriageOutcome {
  const { operator: changedBy = null, at: changedAt = null } = last ?? {};
  return { result: "conflict", reference, version, status, assignee, changedBy, changedAt };
}
