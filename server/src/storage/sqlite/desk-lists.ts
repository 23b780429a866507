// The lists of the inbox: along an index that is chosen here, in ranges of arrival numbers.
import type { InboxFilter } from "@submissions/shared/console";
import type { SQLInputValue } from "node:sqlite";
import type { Scope } from "../desk-store.ts";
import { type Bounds, type Found, searchRanges } from "../ranges.ts";
import { type ListPlan, planList } from "../rules/inbox-filter.ts";
import type { References } from "../rules/references.ts";
import type { Engine } from "../sql/engine.ts";
import { makeInboxLists, prepareFindLast } from "../sql/inbox-list.ts";
import type { Readable } from "./connection.ts";
import { matchOf } from "./desk-search.ts";
import type { Reader } from "./reading-thread.ts";

/** Each range looks its words up again. */
const searchWidth = 50_000;

const indexed = {
  arrival: "NOT INDEXED",
  disposable: "INDEXED BY submission_disposable",
  assignee: "INDEXED BY submission_assignee",
  status: "INDEXED BY submission_status",
  kind: "INDEXED BY submission_kind",
};

type ReadRange = (above: number, below: number, limit: number) => Promise<number[]>;

export function makeDeskLists(engine: Engine, reads: Reader, references: References) {
  const findLast = prepareFindLast(engine);

  /** Reads the arrival numbers of a plan within a range. Null: nothing can match. */
  function reader(plan: ListPlan, { search, letter }: InboxFilter, descending: boolean): ReadRange | null {
    const typed = search === undefined ? [] : [matchOf("search_who", search)];
    if (letter === undefined) return readerOf(plan, typed, descending);
    // A search for letters also finds what `search` finds. FTS5 cannot match two tables at once, so each is read by itself.
    const readers = (["search_letter", "search_who"] as const)
      .map((table) => readerOf(plan, [...typed, matchOf(table, letter)], descending))
      .filter((one) => one !== null);
    if (readers.length === 0) return null;
    return async (above, below, limit) => {
      const found = new Set<number>();
      for (const one of readers) for (const arrival of await one(above, below, limit)) found.add(arrival);
      return [...found].toSorted((a, b) => (descending ? b - a : a - b)).slice(0, limit);
    };
  }

  /** Reads what matches all of these. */
  function readerOf(
    plan: ListPlan,
    matches: readonly ReturnType<typeof matchOf>[],
    descending: boolean,
  ): ReadRange | null {
    if (matches.includes(null)) return null;
    const wheres = plan.conditions.map(({ text }) => text);
    const values = plan.conditions.flatMap((one) => one.values);
    const direction = descending ? "DESC" : "ASC";
    const [first, second] = matches;
    let text: string;
    if (first === undefined || first === null) {
      if (plan.index === "disposable") wheres.push("submission.disposable = 1");
      if (plan.index === "assignee") wheres.push("submission.assignee IS NOT NULL");
      text = `SELECT arrival FROM submission ${indexed[plan.index]} WHERE ${wheres.join(" AND ")}
        AND arrival > ? AND arrival < ? ORDER BY arrival ${direction} LIMIT ?`;
    } else {
      // CROSS JOIN: the search comes first. It answers in the order of its row numbers.
      if (second !== undefined && second !== null) {
        wheres.push(`arrival IN (SELECT rowid FROM ${second.table} WHERE ${second.table} MATCH ?)`);
        values.push(second.match);
      }
      text = `SELECT arrival FROM ${first.table} AS found CROSS JOIN submission ON submission.arrival = found.rowid
        WHERE ${wheres.join(" AND ")} AND ${first.table} MATCH ? AND found.rowid > ? AND found.rowid < ?
        ORDER BY found.rowid ${direction} LIMIT ?`;
      values.push(first.match);
    }
    const statement: Readable<SQLInputValue[], { arrival: number }> = { sourceSQL: text };
    return async (above, below, limit) =>
      (await reads.all(statement, ...values, above, below, limit)).map(({ arrival }) => arrival);
  }

  async function findArrivals(scope: Scope, filter: InboxFilter, bounds: Bounds): Promise<Found<number>> {
    const plan = planList(scope, filter);
    const readRange = plan === null ? null : reader(plan, filter, bounds.descending);
    if (readRange === null) return { rows: [], stoppedAt: null };
    const below = Math.min(bounds.below, (await findLast()) + 1);
    const bySearch = filter.search !== undefined || filter.letter !== undefined;
    return searchRanges({ ...bounds, below, read: readRange, ...(bySearch && { firstWidth: searchWidth }) });
  }

  return makeInboxLists(engine, references, findArrivals);
}
