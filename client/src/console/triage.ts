// Changing the status or the assignee: shown at once, checked by version on the server, and taken back for 8 s with undo.
import type { InboxRow, Page, SubmissionDetail, TriageOutcome, TriageStatus } from "@submissions/shared/console";
import type { InfiniteData } from "@tanstack/react-query";
import { useMutation } from "@tanstack/react-query";
import { calls, queryClient, trpc } from "./calls.ts";
import { showFailure, showToast } from "./parts/toasts.tsx";
import { age, count, plural, shortName } from "./words.ts";

/** Status, assignee or both. Assignee null: unassign. */
export interface Change {
  readonly status?: TriageStatus;
  readonly assignee?: string | null;
}

type Triaged = Pick<InboxRow, "reference" | "status" | "assignee" | "version">;
type ListData = InfiniteData<Page<InboxRow>>;

export const listKey = trpc.inbox.list.pathKey();
const detailKey = (reference: string) => trpc.submission.get.queryKey({ reference });

/** What the page shows of a submission now. */
function shownRow(reference: string): Triaged | undefined {
  const detail = queryClient.getQueryData<SubmissionDetail>(detailKey(reference));
  const rows = queryClient
    .getQueriesData<ListData>({ queryKey: listKey })
    .flatMap(([, data]) => data?.pages ?? [])
    .flatMap((page) => page.rows)
    .filter((row) => row.reference === reference);
  // The newest version that any part of the page has.
  return [...rows, ...(detail ? [detail] : [])].reduce<Triaged | undefined>(
    (newest, row) => (newest === undefined || row.version > newest.version ? row : newest),
    undefined,
  );
}

/** Changes what lists and pages show of a submission, until the server is asked again. */
function show(reference: string, change: Partial<Triaged>): void {
  queryClient.setQueriesData<ListData>({ queryKey: listKey }, (data) => {
    if (!data?.pages.some(({ rows }) => rows.some((row) => row.reference === reference))) return data;
    const pages = data.pages.map((page) => ({
      ...page,
      rows: page.rows.map((row) => (row.reference === reference ? { ...row, ...change } : row)),
    }));
    return { ...data, pages };
  });
  queryClient.setQueryData<SubmissionDetail>(detailKey(reference), (detail) => detail && { ...detail, ...change });
}

/**
 * Shows what the server has just told of submissions in all parts of the page. A change is made to the newest version that
 * any part has, so that a part with older news would have the operator overwrite what it does not show.
 */
export function showEverywhere(told: readonly Triaged[]): void {
  const lists = queryClient.getQueriesData<ListData>({ queryKey: listKey }).flatMap(([, data]) => data?.pages ?? []);
  const rows = lists.flatMap((page) => page.rows);
  for (const { reference, status, assignee, version } of told) {
    const isOlder = (shown: Triaged) => shown.reference === reference && shown.version < version;
    const detail = queryClient.getQueryData<SubmissionDetail>(detailKey(reference));
    const isDetailOlder = detail !== undefined && isOlder(detail);
    if (!isDetailOlder && !rows.some(isOlder)) continue;
    show(reference, { status, assignee, version });
    // Its history, too.
    if (isDetailOlder) void queryClient.invalidateQueries({ queryKey: detailKey(reference) });
  }
}

/** Takes from the lists what is no longer there for this operator. */
function hide(references: readonly string[]): void {
  queryClient.setQueriesData<ListData>({ queryKey: listKey }, (data) => {
    const pages = data?.pages.map((page) => ({
      ...page,
      rows: page.rows.filter((row) => !references.includes(row.reference)),
    }));
    return data && pages && { ...data, pages };
  });
}

/** Which version a change of this page made of another one. */
const made = new Map<string, number>();
const keyOf = (reference: string, version: number) => `${reference} ${version}`;

/** The version that the page's own changes made of this one: those by other operators are not among them. */
function ownVersion(reference: string, version: number): number {
  const next = made.get(keyOf(reference, version));
  return next === undefined ? version : ownVersion(reference, next);
}

interface Target {
  readonly reference: string;
  readonly version: number;
}

/** The submissions as the page shows them now. */
const targetsOf = (references: readonly string[]): readonly Target[] =>
  references.flatMap((reference) => {
    const row = shownRow(reference);
    return row === undefined ? [] : [{ reference, version: row.version }];
  });

/** A call has room for some 1,000. Fewer take less than a second, so that a number that is shown moves. */
export const batch = 500;

interface Attempt {
  readonly references: readonly string[];
  readonly change: Change;
  /** What the operator saw when asking for it. */
  readonly seen: readonly Target[];
  /** An undo is not offered to be undone. */
  readonly undoing?: boolean;
}

/** What was done, or what is asked for. */
export function describeChange(change: Change, changedCount: number, tense: "done" | "asking" = "done"): string {
  const these = plural(changedCount, "submission");
  if (tense === "asking") {
    if (change.status !== undefined) return `Set ${these} to ${change.status}?`;
    return change.assignee === null ? `Unassign ${these}?` : `Assign ${these} to ${change.assignee ?? ""}?`;
  }
  const what = changedCount === 1 ? "" : `${these}: `;
  if (change.status !== undefined) return `${what}Set to ${change.status}.`;
  return change.assignee === null ? `${what}Unassigned.` : `${what}Assigned to ${change.assignee ?? ""}.`;
}

type Conflict = Extract<TriageOutcome, { result: "conflict" }>;

/** What other operators did to some of several submissions. */
export function describeConflicts(conflicts: readonly Conflict[]): string {
  const [first] = conflicts;
  if (conflicts.length > 1)
    return `${count(conflicts.length)} were changed by other operators meanwhile and stay as they are.`;
  const who = first?.changedBy ? shortName(first.changedBy) : "another operator";
  return `1 was changed by ${who} meanwhile and stays as it is.`;
}

/** What another operator did to the only one. @param before what the page showed, if it is known */
function describeConflict(first: Conflict, before: Triaged | undefined): string {
  const who = first.changedBy === null ? "Another operator" : shortName(first.changedBy);
  const when =
    first.changedAt === null ? "" : ` ${age(first.changedAt, Date.now())} ago`.replace("now ago", "just now");
  const what = describeTheirs(first, before);
  return `${who.slice(0, 1).toUpperCase()}${who.slice(1)} ${what}${when}. Your change was not made.`;
}

export const describeGone = (goneCount: number): string =>
  `${plural(goneCount, "submission")} could not be found any more.`;

function describeTheirs({ status, assignee }: Conflict, before: Triaged | undefined): string {
  if (before === undefined) return "changed this";
  if (before.status !== status) return `set this to ${status}`;
  if (before.assignee === assignee) return "changed this";
  return assignee === null ? "unassigned this" : `assigned this to ${shortName(assignee)}`;
}

function settle(
  outcomes: readonly TriageOutcome[],
  before: ReadonlyMap<string, Triaged>,
  { references, change, undoing }: Attempt,
): void {
  const changed: string[] = [];
  const conflicts: Conflict[] = [];
  const known = new Map(before);
  const gone: string[] = [];
  for (const outcome of outcomes) {
    if (outcome.result === "changed") {
      changed.push(outcome.reference);
      show(outcome.reference, { version: outcome.version });
    } else if (outcome.result === "conflict") {
      conflicts.push(outcome);
      const { reference, status, assignee, version } = outcome;
      // Told of before: what stood there then was this page's own change.
      if (shownRow(reference)?.version === version) known.delete(reference);
      show(reference, { status, assignee, version });
    } else gone.push(outcome.reference);
  }
  if (gone.length > 0) {
    hide(gone);
    showToast(describeGone(gone.length), { tone: "bad" });
  }
  const [first] = conflicts;
  if (first !== undefined) {
    const isOnly = references.length === 1;
    showToast(isOnly ? describeConflict(first, known.get(first.reference)) : describeConflicts(conflicts), {
      tone: "bad",
    });
  }
  if (changed.length === 0 || undoing === true) {
    if (undoing === true && changed.length > 0) showToast("Undone.");
    return;
  }
  showToast(describeChange(change, changed.length), { undo: () => undo(changed, before, change) });
}

// Submissions that had different values before are taken back in groups of the same value.
function undo(references: readonly string[], before: ReadonlyMap<string, Triaged>, change: Change): void {
  const groups = new Map<string, { readonly change: Change; readonly references: string[] }>();
  for (const reference of references) {
    const row = before.get(reference);
    if (row === undefined) continue;
    const back: Change = {
      ...(change.status !== undefined && { status: row.status }),
      ...(change.assignee !== undefined && { assignee: row.assignee }),
    };
    const key = JSON.stringify(back);
    const group = groups.get(key) ?? { change: back, references: [] };
    group.references.push(reference);
    groups.set(key, group);
  }
  for (const group of groups.values())
    queryClient
      .getMutationCache()
      .build(queryClient, triageOptions)
      .execute({ ...group, seen: targetsOf(group.references), undoing: true })
      .catch(() => {});
}

const triageOptions = {
  // One after the other: the next change needs the version that the one before made.
  scope: { id: "triage" },
  mutationFn: async ({ seen, change }: Attempt) => {
    const outcomes: TriageOutcome[] = [];
    for (let at = 0; at < seen.length; at += batch) {
      const targets = seen
        .slice(at, at + batch)
        .map(({ reference, version }) => ({ reference, version: ownVersion(reference, version) }));
      const settled = await calls.inbox.triage.mutate({ targets, ...change });
      const changed = new Map(
        settled.flatMap((one) => (one.result === "changed" ? [[one.reference, one.version]] : [])),
      );
      for (const { reference, version } of targets) {
        const next = changed.get(reference);
        if (next !== undefined) made.set(keyOf(reference, version), next);
      }
      outcomes.push(...settled);
    }
    return outcomes;
  },
  onMutate: async ({ references, change }: Attempt) => {
    await queryClient.cancelQueries({ queryKey: listKey });
    const before = new Map<string, Triaged>();
    for (const reference of references) {
      const row = shownRow(reference);
      if (row !== undefined) before.set(reference, row);
      show(reference, change);
    }
    return before;
  },
  onError: (error: Error, { seen }: Attempt, before: ReadonlyMap<string, Triaged> | undefined) => {
    for (const [reference, { status, assignee }] of before ?? []) show(reference, { status, assignee });
    if (seen.length <= batch) return showFailure("Not changed.", error);
    // Those of the calls before are.
    showFailure("Not all were changed.", error);
    void queryClient.invalidateQueries({ queryKey: listKey });
  },
  onSuccess: (outcomes: readonly TriageOutcome[], attempt: Attempt, before: ReadonlyMap<string, Triaged>) =>
    settle(outcomes, before, attempt),
  // Rows that no longer match the filter stay where they are until the list is loaded again.
  onSettled: (_outcomes: unknown, _error: unknown, { references }: Attempt) => {
    void queryClient.invalidateQueries({ queryKey: trpc.inbox.counts.queryKey() });
    for (const reference of references) void queryClient.invalidateQueries({ queryKey: detailKey(reference) });
  },
};

/** How to change submissions. */
export function useTriage(): (references: readonly string[], change: Change) => void {
  const { mutate } = useMutation<readonly TriageOutcome[], Error, Attempt, ReadonlyMap<string, Triaged>>(triageOptions);
  return (references, change) => mutate({ references, change, seen: targetsOf(references) });
}
