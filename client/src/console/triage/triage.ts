// Changing the status, the stage or the assignee: shown at once, checked by version on the server, and taken back with undo until the next action.
import type { InboxRow, Page, SubmissionDetail, TriageOutcome, TriageRequest } from "@submissions/shared/console";
import { useMutation, type InfiniteData } from "@tanstack/react-query";
import { useCallback } from "react";
import { calls, queryClient, trpc } from "../calls.ts";
import { useNames } from "../operators.ts";
import { forgetDraftsOf } from "../parts/drafts.tsx";
import { useToasts } from "../parts/toasts.tsx";
import { describeChange, describeConflict, describeConflicts, type Change } from "./triage-words.ts";
import { plural } from "../words.ts";

export type Triaged = Pick<InboxRow, "reference" | "status" | "stage" | "assignee" | "version"> &
  Partial<Pick<InboxRow, "snoozedUntil">>;
type Target = TriageRequest["targets"][number];
type ListData = InfiniteData<Page<InboxRow>>;

export const listKey = trpc.inbox.list.pathKey();
const detailKey = (reference: string) => trpc.submission.get.queryKey({ reference });

/** Every submission that some part of the page shows: rows of lists, and opened ones. */
const shownParts = (): readonly Triaged[] => [
  ...queryClient
    .getQueriesData<ListData>({ queryKey: listKey })
    .flatMap(([, list]) => list?.pages.flatMap(({ rows }) => rows) ?? []),
  ...queryClient
    .getQueriesData<SubmissionDetail>({ queryKey: trpc.submission.get.pathKey() })
    .flatMap(([, detail]) => detail ?? []),
];

/** The submissions as the page shows them: the newest version that any part of it has. */
export function shownNow(references: readonly string[]): readonly Triaged[] {
  const newest = new Map<string, Triaged>();
  for (const part of shownParts())
    if ((newest.get(part.reference)?.version ?? -1) < part.version) newest.set(part.reference, part);
  return references.flatMap((reference) => newest.get(reference) ?? []);
}

/** The row behind the ones that are gone, in a list that had them. */
export function rowBehind(gone: ReadonlySet<string>): string | undefined {
  for (const [, list] of queryClient.getQueriesData<ListData>({ queryKey: listKey })) {
    const rows = list?.pages.flatMap((page) => page.rows) ?? [];
    const last = rows.findLastIndex(({ reference }) => gone.has(reference));
    if (last >= 0 && last + 1 < rows.length) return rows[last + 1]?.reference;
  }
  return undefined;
}

export const triagedOf = ({ reference, status, stage, assignee, version }: Triaged) => {
  return { reference, status, stage, assignee, version };
};

/** Changes the rows of all lists. */
const changeRows = (changed: (rows: readonly InboxRow[]) => readonly InboxRow[]): void =>
  void queryClient.setQueriesData<ListData>(
    { queryKey: listKey },
    (list) => list && { ...list, pages: list.pages.map((page) => ({ ...page, rows: changed(page.rows) })) },
  );

/** Changes what all parts of the page show, until the server is asked again. */
export function show(changes: readonly (Partial<Triaged> & { readonly reference: string })[]): void {
  const byReference = new Map(changes.map((change) => [change.reference, change]));
  const changed = <Shown extends Triaged>(shown: Shown): Shown => {
    const change = byReference.get(shown.reference);
    return change === undefined || (change.version ?? shown.version) < shown.version ? shown : { ...shown, ...change };
  };
  changeRows((shown) => shown.map(changed));
  for (const reference of byReference.keys())
    queryClient.setQueryData<SubmissionDetail>(detailKey(reference), (detail) => detail && changed(detail));
}

/**
 * Shows what the server has just said of submissions in all parts of the page. A change is made to the newest version on
 * the page, so a stale part would let the operator overwrite what it does not show.
 */
export function showNews(news: readonly Triaged[]): void {
  const versions = new Map(news.map(({ reference, version }) => [reference, version]));
  const stale = shownParts().filter(({ reference, version }) => version < (versions.get(reference) ?? 0));
  if (stale.length === 0) return;
  show(news.map(triagedOf));
  // Their histories, too.
  for (const { reference } of stale) void queryClient.invalidateQueries({ queryKey: detailKey(reference) });
}

/** The submissions that this page is changing, each as often as there are changes to it. */
const underWay = (): readonly string[] =>
  queryClient
    .getMutationCache()
    .findAll({ mutationKey, status: "pending" })
    .flatMap(({ state }) => (state.variables as Attempt).seen.map(({ reference }) => reference));

/** Shows what others have changed, but where this page is changing the same: its own change will say. */
export function showChanged(rows: readonly InboxRow[]): void {
  const own = underWay();
  const news = new Map(rows.filter(({ reference }) => !own.includes(reference)).map((row) => [row.reference, row]));
  if (news.size === 0) return;
  const changed = (row: InboxRow): InboxRow => {
    const now = news.get(row.reference);
    return now === undefined || now.version < row.version ? row : { ...row, ...now };
  };
  changeRows((shown) => shown.map(changed));
  readAgain([...news.keys()]);
}

/** Takes what was erased off the page and out of its memory, drafts included. */
export function showGone(references: readonly string[]): void {
  changeRows((shown) => shown.filter(({ reference }) => !references.includes(reference)));
  for (const reference of references) {
    forgetDraftsOf(reference);
    queryClient.removeQueries({ queryKey: detailKey(reference), type: "inactive" });
  }
  readAgain(references);
  void queryClient.invalidateQueries({ queryKey: trpc.people.pathKey() });
}

/** After a change: the counts, and what opened submissions show beside status and assignee. */
export function readAgain(references: readonly string[]): void {
  void queryClient.invalidateQueries({ queryKey: trpc.inbox.counts.queryKey() });
  void queryClient.invalidateQueries({ queryKey: trpc.inbox.stages.pathKey() });
  void queryClient.invalidateQueries({ queryKey: trpc.inbox.tabs.pathKey() });
  for (const reference of references) void queryClient.invalidateQueries({ queryKey: detailKey(reference) });
}

/** A call has room for some 1,000. Fewer take less than a second, so that a number that is shown moves. */
const batch = 500;
const batchBytes = 60_000;
// What is taken back has the words of its mail with it.
const sizeOf = (target: Target | undefined) => 100 + (target?.undo?.length ?? 0);

function endOfBatch(targets: readonly Target[], from: number): number {
  let end = from + 1;
  let size = sizeOf(targets[from]);
  while (end < targets.length && end - from < batch && size < batchBytes - sizeOf(targets[end])) {
    size += sizeOf(targets[end]);
    end += 1;
  }
  return end;
}

/** Changes these versions. @param goesOn asked before each call, with the number that is done */
export async function changeInBatches(
  targets: readonly Target[],
  change: Change,
  goesOn: (done: number) => boolean = () => true,
): Promise<readonly TriageOutcome[]> {
  const outcomes: TriageOutcome[] = [];
  for (let at = 0, end; at < targets.length && goesOn(at); at = end) {
    end = endOfBatch(targets, at);
    outcomes.push(...(await calls.inbox.triage.mutate({ targets: targets.slice(at, end), ...change })));
  }
  return outcomes;
}

/** How to say why some were not changed. */
export function useProblems() {
  const nameOf = useNames();
  /** @param seen what the operator saw of the only one */
  return (outcomes: readonly TriageOutcome[], seen?: Triaged): readonly string[] => {
    const conflicts = outcomes.filter((outcome) => outcome.result === "conflict");
    const gone = outcomes.filter(({ result }) => result === "unknown");
    const [conflict] = conflicts;
    const told = conflict !== undefined && outcomes.length === 1 && describeConflict(conflict, seen, nameOf);
    return [
      ...(gone.length > 0 ? [`${plural(gone.length, "submission")} could not be found any more.`] : []),
      ...(conflict === undefined ? [] : [told || describeConflicts(conflicts, nameOf)]),
    ];
  };
}

/** How to say what became of a change. */
export function useReport() {
  const { showToast } = useToasts();
  const nameOf = useNames();
  const problemsOf = useProblems();
  /** @param seen what the operator saw of the only one */
  return (
    outcomes: readonly TriageOutcome[],
    change: Change,
    seen?: Triaged,
    undo?: (references: ReadonlySet<string>) => void,
  ) => {
    const changed = outcomes.filter(({ result }) => result === "changed");
    for (const problem of problemsOf(outcomes, seen)) showToast(problem, { tone: "bad" });
    if (changed.length === 0) return;
    const references = new Set(changed.map(({ reference }) => reference));
    showToast(describeChange(change, changed.length, nameOf), undo && { undo: () => undo(references) });
  };
}

interface Attempt {
  /** What the operator saw when asking for the change. */
  readonly seen: readonly Triaged[];
  readonly change: Change;
  /** An undo is not offered to be undone. It says how what had been decided was. */
  readonly undoing?: ReadonlyMap<string, string>;
}

/** An outcome, and the version that the change was made to. */
type Outcome = TriageOutcome & { readonly from: number | undefined };

export const mutationKey = ["triage"];

/**
 * The versions to change. Where an earlier change of this page was made to the version that the operator saw, it is the one
 * that it made. A version that another operator made is never among them.
 */
export function versionsOf(seen: readonly Target[]): Map<string, number> {
  const versions = new Map(seen.map(({ reference, version }) => [reference, version]));
  for (const { state } of queryClient.getMutationCache().findAll({ mutationKey, status: "success" }))
    for (const outcome of state.data as readonly Outcome[])
      if (outcome.result === "changed" && versions.get(outcome.reference) === outcome.from)
        versions.set(outcome.reference, outcome.version);
  return versions;
}

const followed = ({ status }: { readonly status?: InboxRow["status"] }) => status !== undefined && { status };

export function useTriage(): (references: readonly string[], change: Change) => void {
  const { showToast, showFailure } = useToasts();
  const report = useReport();

  const { mutate } = useMutation({
    mutationKey,
    // One after the other: the next change needs the version that the one before made.
    scope: { id: "triage" },
    mutationFn: async ({ seen, change, undoing }: Attempt): Promise<readonly Outcome[]> => {
      const versions = versionsOf(seen);
      const targets = Array.from(versions, ([reference, version]) => {
        const undo = undoing?.get(reference);
        return { reference, version, ...(undo !== undefined && { undo }) };
      });
      const outcomes = await changeInBatches(targets, change);
      return outcomes.map((outcome) => ({ ...outcome, from: versions.get(outcome.reference) }));
    },
    onMutate: async ({ seen, change }) => {
      // An answer to a read that began before the change would show the former values again.
      const keys = [listKey, ...seen.map(({ reference }) => detailKey(reference))];
      await Promise.all(keys.map((queryKey) => queryClient.cancelQueries({ queryKey })));
      show(seen.map(({ reference }) => ({ reference, ...change })));
    },
    onError: (error, { seen }) => {
      show(
        seen.map(({ reference, status, stage, assignee, snoozedUntil = null }) => ({
          reference,
          status,
          stage,
          assignee,
          snoozedUntil,
        })),
      );
      if (seen.length <= batch) return showFailure("Not changed.", error);
      // Those of the calls before are.
      showFailure("Not all were changed.", error);
      void queryClient.invalidateQueries({ queryKey: listKey });
    },
    onSuccess: (outcomes, { seen, change, undoing }) => {
      const [first] = outcomes;
      // When the page shows a conflict already, what the operator saw was this page's own change.
      const isKnown = first?.result === "conflict" && shownNow([first.reference])[0]?.version === first.version;
      show(
        outcomes.flatMap((outcome) => {
          if (outcome.result === "unknown") return [];
          return outcome.result === "conflict"
            ? triagedOf(outcome)
            : { reference: outcome.reference, version: outcome.version, ...followed(outcome) };
        }),
      );
      if (outcomes.some(({ result }) => result === "unknown"))
        void queryClient.invalidateQueries({ queryKey: listKey });
      const undos = new Map(
        outcomes.flatMap((one) =>
          one.result === "changed" && one.undo !== undefined ? [[one.reference, one.undo]] : [],
        ),
      );
      const undo = (changed: ReadonlySet<string>) => takeBack(changed, seen, change, undos);
      if (undoing && outcomes.every(({ result }) => result === "changed")) showToast("Undone.");
      else report(outcomes, change, isKnown ? undefined : seen[0], undoing ? undefined : undo);
    },
    // Rows that no longer match the filter stay where they are until the list is loaded again.
    onSettled: (_outcomes, _error, { seen }) => {
      // Before the last change to a submission is made, the server would tell how it was.
      const times = Map.groupBy(underWay(), (reference) => reference);
      readAgain(seen.flatMap(({ reference }) => (times.get(reference)?.length === 1 ? reference : [])));
    },
  });

  /** Submissions that had different values are taken back in groups of the same values. */
  function takeBack(
    changed: ReadonlySet<string>,
    seen: readonly Triaged[],
    change: Change,
    undoing: ReadonlyMap<string, string>,
  ): void {
    const former = seen.filter(({ reference }) => changed.has(reference));
    const valuesOf = ({ status, stage, assignee, snoozedUntil }: Triaged) =>
      `${status} ${stage} ${assignee} ${snoozedUntil}`;
    for (const group of Map.groupBy(former, valuesOf).values()) {
      const [{ status, stage, assignee, snoozedUntil = null }] = group as [Triaged];
      const back = {
        // The status followed the stage.
        ...((change.status !== undefined || change.stage !== undefined) && { status }),
        ...(change.stage !== undefined && stage !== null && { stage }),
        ...(change.assignee !== undefined && { assignee }),
        // A time that has passed is no snooze any more, and would be refused.
        ...(change.snoozedUntil !== undefined && {
          snoozedUntil: (snoozedUntil ?? 0) > Date.now() ? snoozedUntil : null,
        }),
      };
      mutate({ seen: shownNow(group.map(({ reference }) => reference)), change: back, undoing });
    }
  }

  return useCallback((references, change) => mutate({ seen: shownNow(references), change }), [mutate]);
}
