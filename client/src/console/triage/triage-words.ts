// What is said of changes of status, stage or assignee.
import type { InboxRow, TriageOutcome, TriageRequest } from "@submissions/shared/console";
import type { NameOf } from "../operators.ts";
import { age, count, dayAndTime, plural } from "../words.ts";

/** One of them or several. Null: unassign, no longer put off. */
export type Change = Omit<TriageRequest, "targets">;

type Conflict = Extract<TriageOutcome, { result: "conflict" }>;
/** What the page showed, if it is known. */
type Before = Pick<InboxRow, "status" | "stage" | "assignee"> | undefined;

/** What was done, or what is asked for. */
export function describeChange(
  change: Change,
  changedCount: number,
  nameOf: NameOf,
  tense: "done" | "asking" = "done",
): string {
  const these = plural(changedCount, "submission");
  if (tense === "asking") {
    if (change.stage !== undefined) return `Move ${these} to ${change.stage}?`;
    if (change.snoozedUntil != null) return `Snooze ${these} until ${dayAndTime(change.snoozedUntil)}?`;
    if (change.status !== undefined) return `Set ${these} to ${change.status}?`;
    return change.assignee === null ? `Unassign ${these}?` : `Assign ${these} to ${nameOf(change.assignee ?? "")}?`;
  }
  const what = changedCount === 1 ? "" : `${these}: `;
  if (change.stage !== undefined) return `${what}Moved to ${change.stage}.`;
  if (change.snoozedUntil === null) return `${what}No longer snoozed.`;
  if (change.snoozedUntil !== undefined) return `${what}Snoozed until ${dayAndTime(change.snoozedUntil)}.`;
  if (change.status !== undefined) return `${what}Set to ${change.status}.`;
  return change.assignee === null ? `${what}Unassigned.` : `${what}Assigned to ${nameOf(change.assignee ?? "")}.`;
}

/** What other operators did to some of several submissions. */
export function describeConflicts(conflicts: readonly Conflict[], nameOf: NameOf): string {
  const [first] = conflicts;
  if (conflicts.length > 1)
    return `${count(conflicts.length)} were changed by other operators meanwhile and stay as they are.`;
  const who = first?.changedBy ? nameOf(first.changedBy) : "another operator";
  return `1 was changed by ${who} meanwhile and stays as it is.`;
}

/** What another operator did to the only one. */
export function describeConflict(conflict: Conflict, before: Before, nameOf: NameOf): string {
  const { changedBy, changedAt } = conflict;
  const who = changedBy === null ? "Another operator" : nameOf(changedBy);
  const when = changedAt === null ? "" : ` ${age(changedAt, Date.now())} ago`.replace("now ago", "just now");
  const what = describeTheirs(conflict, before, nameOf);
  return `${who.slice(0, 1).toUpperCase()}${who.slice(1)} ${what}${when}. Your change was not made.`;
}

function describeTheirs({ status, stage, assignee }: Conflict, before: Before, nameOf: NameOf) {
  if (before === undefined) return "changed this";
  if (before.stage !== stage && stage !== null) return `moved this to ${stage}`;
  if (before.status !== status) return `set this to ${status}`;
  if (before.assignee === assignee) return "changed this";
  return assignee === null ? "unassigned this" : `assigned this to ${nameOf(assignee)}`;
}
