// A page of the inbox, the neighbours of a submission in it, and how many there are. An engine finds the arrival numbers of
// the rows.
import type { InboxCounts, InboxFilter, InboxRow, Page, PageRequest } from "@submissions/shared/console";
import { referenceShape } from "@submissions/shared/reference";
import type { DeskStore, Scope } from "../desk-store.ts";
import type { Bounds, Found } from "../ranges.ts";
import { countMax, pageOf, rowsOf } from "../rules/inbox-filter.ts";
import type { SubmissionKind, TriageStatus } from "../records.ts";
import { inboxRow, listedColumns, type ListedRow } from "../rules/inbox-row.ts";
import type { DayNumber, References } from "../rules/references.ts";
import { readSubmissionAnyway } from "../rules/submission-row.ts";
import type { Engine } from "./engine.ts";

/** Finds arrival numbers, in the order of the list. */
type Find = (scope: Scope, filter: InboxFilter, bounds: Bounds) => Promise<Found<number>>;

/** Of a time with more submissions than these the list is read from its end. */
const boundedMax = 20_000;

/** The latest arrival number. */
export function prepareFindLast({ prepare, read }: Engine): () => Promise<number> {
  const last = prepare<{ last: number }>("SELECT coalesce(max(arrival), 0) AS last FROM submission");
  return async () => (await read(last()))[0]?.last ?? 0;
}

export function makeInboxLists(engine: Engine, references: References, find: Find) {
  const { prepare, indexedBy, among, read } = engine;
  const arrivalOfDay = prepare<{ arrival: number }>(
    "SELECT arrival FROM submission WHERE day_number = $1 AND kind = $2",
  );
  const rowsOfArrivals = prepare<ListedRow>(
    `SELECT ${listedColumns} FROM submission WHERE ${among("arrival", "$1", "bigint")}`,
  );

  const receivedWithin = (index: string, condition: string) =>
    `SELECT arrival FROM submission ${indexedBy(index)} WHERE ${condition} AND received_at >= $1 AND received_at < $2`;
  const spanOf = prepare<{ first: number | null; last: number | null; count: number }>(`
    SELECT min(arrival) AS first, max(arrival) AS last, count(*) AS count FROM (SELECT arrival FROM (
      ${receivedWithin("submission_received", "kind = 'inquiry' AND status <> 'spam'")}
      UNION ALL ${receivedWithin("submission_received", "kind = 'application' AND status <> 'spam'")}
      UNION ALL ${receivedWithin("submission_spam", "status = 'spam'")}
    ) AS received LIMIT ${boundedMax + 1}) AS counted`);

  /** Between which arrival numbers everything is that was received from one instant to another. */
  async function boundsOf({ from, until }: InboxFilter): Promise<{ above: number; below: number }> {
    const all = { above: 0, below: Number.MAX_SAFE_INTEGER };
    if (from === undefined && until === undefined) return all;
    const [span] = await read(spanOf(from ?? 0, until ?? Number.MAX_SAFE_INTEGER));
    if (span === undefined || span.count > boundedMax) return all;
    return { above: (span.first ?? 1) - 1, below: (span.last ?? 0) + 1 };
  }

  /** Those of a status, counted up to a limit. */
  const capped = (status: TriageStatus, condition = "true") =>
    `(SELECT count(*) FROM (SELECT 1 FROM submission ${indexedBy("submission_status")}
      WHERE status = '${status}' AND ${among("kind", "$1")} AND ${condition} LIMIT ${countMax}) AS counted)`;
  // Each by itself: for both in one SQLite would compare every row with both words.
  const waiting = (status: "new" | "open") =>
    `(SELECT count(*) AS count, count(*) FILTER (WHERE assignee = $2) AS mine
      FROM submission ${indexedBy("submission_status")} WHERE status = '${status}' AND ${among("kind", "$1")})`;
  const counts = prepare<InboxCounts>(`
    SELECT fresh.count AS new, begun.count AS open, fresh.mine + begun.mine AS mine,
      ${capped("done")} AS done, ${capped("spam")} AS spam
    FROM ${waiting("new")} AS fresh, ${waiting("open")} AS begun`);
  const latest = (kind: SubmissionKind) =>
    `SELECT (SELECT arrival FROM submission ${indexedBy("submission_kind")}
      WHERE kind = '${kind}' AND ${among(`'${kind}'`, "$1")} ORDER BY arrival DESC LIMIT 1) AS last`;
  const since = prepare<{ latest: number; added: number }>(`
    SELECT coalesce(max(last), 0) AS latest, ${capped("new", "arrival > $2")} AS added
    FROM (${latest("inquiry")} UNION ALL ${latest("application")}) AS newest`);

  const arrivalOf = async (named: DayNumber): Promise<number | null> =>
    (await read(arrivalOfDay(named.dayNumber, named.kind)))[0]?.arrival ?? null;

  async function list<Row>(
    scope: Scope,
    asked: InboxFilter,
    { after, ...page }: PageRequest,
    rowOf: (row: ListedRow) => Row,
  ): Promise<Page<Row>> {
    const { reference, filter } = splitReference(asked);
    const descending = filter.order !== "oldest";
    let { above, below } = await boundsOf(filter);
    if (after !== undefined && descending) below = Math.min(below, after);
    if (after !== undefined && !descending) above = Math.max(above, after);
    if (reference !== null) {
      const named = references.parse(reference);
      const only = (named && (await arrivalOf(named))) ?? 0;
      [above, below] = [Math.max(above, only - 1), Math.min(below, only + 1)];
    }
    const limit = rowsOf(page);
    const found = await find(scope, filter, { above, below, limit: limit + 1, descending });
    const { rows: arrivals, next } = pageOf(found.rows, limit, (arrival) => arrival);
    if (arrivals.length === 0) return { rows: [], next: next ?? found.stoppedAt };
    const byArrival = new Map((await read(rowsOfArrivals(arrivals))).map((row) => [row.arrival, rowOf(row)]));
    return { rows: arrivals.flatMap((arrival) => byArrival.get(arrival) ?? []), next: next ?? found.stoppedAt };
  }

  const nameOf = ([row]: readonly InboxRow[]) =>
    row === undefined ? null : { reference: row.reference, kind: row.kind };

  return {
    listSubmissions: (scope, filter, page) => list(scope, filter, page, inboxRow),

    listWhole: (scope, filter, page) => list(scope, filter, page, readSubmissionAnyway),

    async countByStatus({ kinds }, operator) {
      const [row] = await read(counts(kinds, operator));
      return row ?? { new: 0, open: 0, done: 0, spam: 0, mine: 0 };
    },

    async since({ kinds }, arrival) {
      const [row] = await read(since(kinds, arrival));
      return row ?? { latest: 0, added: 0 };
    },

    async neighbours(scope, reference, filter) {
      const named = references.parse(reference);
      const after = named !== null && scope.kinds.includes(named.kind) ? await arrivalOf(named) : null;
      if (after === null) return { previous: null, next: null };
      const backwards = { ...filter, order: filter.order === "oldest" ? "newest" : "oldest" } as const;
      const [before, behind] = await Promise.all([
        list(scope, backwards, { after, limit: 1 }, inboxRow),
        list(scope, filter, { after, limit: 1 }, inboxRow),
      ]);
      return { previous: nameOf(before.rows), next: nameOf(behind.rows) };
    },
  } satisfies Partial<DeskStore>;
}

/** A search for a whole reference, if it is one, and what else the filter wants. */
function splitReference(asked: InboxFilter): { reference: string | null; filter: InboxFilter } {
  for (const part of ["search", "letter"] as const) {
    const { [part]: text, ...filter } = asked;
    const reference = text?.trim().toUpperCase() ?? "";
    if (referenceShape.test(reference)) return { reference, filter };
  }
  return { reference: null, filter: asked };
}
