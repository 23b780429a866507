// A page of the inbox, and how many there are.
import type { InboxCounts, InboxFilter, Page, PageRequest } from "@submissions/shared/console";
import { kindOf, type SubmissionKind, submissionKinds } from "@submissions/shared/kinds";
import { referenceShape } from "@submissions/shared/reference";
import { type Stage, stages } from "@submissions/shared/stages";
import type { DeskStore, Scope } from "../desk-store.ts";
import { type Bounds, endless, readPage } from "./ranges.ts";
import { countMax, type ListColumn, type ListPlan, type ListWords, planList, wordsOf } from "../rules/inbox-filter.ts";
import type { TriageStatus } from "../records.ts";
import type { References } from "../rules/references.ts";
import { readSubmissionAnyway, submissionColumns, type SubmissionRow } from "../rules/submission-row.ts";
import { type Bind, bindTo, type Engine, only, type Value } from "./engine.ts";

/** A part of a list: what lies between two arrival numbers (in SQL). */
export interface ListPart {
  readonly above: string;
  readonly below: string;
  readonly direction: "ASC" | "DESC";
}

/** What differs between the engines in the lists and searches of the inbox. */
export interface Inbox {
  /** How a list walks along the index of a column. `value`: what the column is, in SQL. */
  walk(column: ListColumn, value: string, part: ListPart): { readonly condition: string; readonly order: string };
  /**
   * A SELECT of the arrival numbers of what words match.
   *
   * @param areRare whether it must look the words up first, because they fill no page among the nearest rows
   */
  find(words: ListWords, part: ListPart, bind: Bind, areRare: boolean): string;
}

/** Of a time with more submissions than these the list is read from its end. */
const boundedMax = 20_000;

/** Submissions that a count by stage looks at, of each stage and status. */
const lookedAtMax = 5_000;

export function makeInboxLists(engine: Engine, references: References, inbox: Inbox) {
  const { prepare, unprepared, indexedBy, among, ranges, read } = engine;
  const findLast = prepare<{ last: number }>("SELECT coalesce(max(arrival), 0) AS last FROM submission");
  const arrivalOfDay = prepare<{ arrival: number }>(
    "SELECT arrival FROM submission WHERE day_number = $1 AND kind = $2",
  );

  const receivedWithin = (index: string, condition: string) =>
    `SELECT arrival FROM submission ${indexedBy(index)} WHERE ${condition} AND received_at >= $1 AND received_at < $2`;
  const received = [
    ...submissionKinds.map((kind) => receivedWithin("submission_received", `kind = '${kind}' AND status <> 'spam'`)),
    receivedWithin("submission_spam", "status = 'spam'"),
  ].join(" UNION ALL ");
  const spanOf = prepare<{ first: number | null; last: number | null; count: number }>(`
    SELECT min(arrival) AS first, max(arrival) AS last, count(*) AS count
    FROM (SELECT arrival FROM (${received}) AS received LIMIT ${boundedMax + 1}) AS counted`);

  /** Between which arrival numbers everything is that was received from one instant to another. */
  async function boundsOf({ from, until }: InboxFilter): Promise<{ above: number; below: number }> {
    const all = { above: 0, below: endless };
    if (from === undefined && until === undefined) return all;
    const { first, last, count } = only(await read(spanOf(from ?? 0, until ?? endless)));
    return count > boundedMax ? all : { above: (first ?? 1) - 1, below: (last ?? 0) + 1 };
  }

  /** Those of a status, counted up to a limit. */
  const capped = (status: TriageStatus, condition = "true") =>
    `(SELECT count(*) FROM (SELECT 1 FROM submission ${indexedBy("submission_status")}
      WHERE status = '${status}' AND ${among("kind", "$1")} AND ${condition} LIMIT ${countMax}) AS counted)`;
  const plurals = submissionKinds.map((kind) => kindOf(kind).plural);
  const ofKind = submissionKinds.map((kind, at) => `count(*) FILTER (WHERE kind = '${kind}') AS "${plurals[at]}"`);
  // Each by itself: for both in one SQLite would compare every row with both words.
  const waiting = (status: "new" | "open") =>
    `(SELECT count(*) AS count, count(*) FILTER (WHERE assignee = $2) AS mine,
        count(*) FILTER (WHERE assignee IS NULL) AS unassigned, ${ofKind.join(", ")}
      FROM submission ${indexedBy("submission_status")} WHERE status = '${status}' AND ${among("kind", "$1")})`;
  const summed = ["mine", "unassigned", ...plurals].map((name) => `fresh."${name}" + begun."${name}" AS "${name}"`);
  const counts = prepare<InboxCounts>(`
    SELECT fresh.count AS new, begun.count AS open, fresh.count + begun.count AS todo, ${summed.join(", ")},
      ${capped("done")} AS done, ${capped("spam")} AS spam
    FROM ${waiting("new")} AS fresh, ${waiting("open")} AS begun`);
  const latest = (kind: SubmissionKind) =>
    `SELECT (SELECT arrival FROM submission ${indexedBy("submission_kind")}
      WHERE kind = '${kind}' AND ${among(`'${kind}'`, "$1")} ORDER BY arrival DESC LIMIT 1) AS last`;
  const since = prepare<{ latest: number; added: number }>(`
    SELECT coalesce(max(last), 0) AS latest, ${capped("new", "arrival > $2")} AS added
    FROM (${submissionKinds.map(latest).join(" UNION ALL ")}) AS newest`);

  async function find(
    scope: Scope,
    filter: InboxFilter,
    bounds: Bounds & { readonly isNamed: boolean },
    page: PageRequest,
  ): Promise<Page<SubmissionRow>> {
    const { search, letter, status, order: _order, from: _from, until: _until, kind: _kind, ...others } = filter;
    const isSearch = search !== undefined || letter !== undefined;
    // Otherwise another part of the filter may be the narrow one.
    const isWide = status === undefined && Object.values(others).every((one) => one === undefined);
    const words = wordsOf(filter);
    const plans = plansOf(scope, filter, isSearch || bounds.isNamed);
    if (plans.length === 0 || words === null) return { rows: [], next: null };
    const { descending } = bounds;
    const readRange = async (above: number, below: number, limit: number, isFirst: boolean) => {
      const reads = plans.map(({ plan, ofFilter }) => {
        const values = [...ofFilter];
        const bind = bindTo(values);
        const part = { above: bind(above), below: bind(below), direction: descending ? "DESC" : "ASC" } as const;
        const text = isSearch
          ? searchText(plan, inbox.find(words, part, bind, isWide && !isFirst), part)
          : listText(plan, part);
        const whole = `SELECT ${submissionColumns} FROM submission WHERE arrival IN (${text} LIMIT ${bind(limit)})`;
        return read(unprepared<SubmissionRow>(whole, values, isSearch ? "any" : "index"));
      });
      const rows = (await Promise.all(reads)).flat();
      return rows.toSorted((a, b) => (descending ? b.arrival - a.arrival : a.arrival - b.arrival)).slice(0, limit);
    };
    const last = async () => only(await read(findLast())).last;
    return readPage({ ...bounds, ranges, isSearch, last, read: readRange, numberOf: ({ arrival }) => arrival }, page);
  }

  /** What is to be done is two walks along the index of the status. */
  const plansOf = (scope: Scope, { status, ...filter }: InboxFilter, isSearch: boolean) =>
    (status === "todo" ? (["new", "open"] as const) : [status]).flatMap((one) => {
      const values: Value[] = [];
      const plan = planList(scope, { ...filter, status: one }, bindTo(values), isSearch);
      return plan === null ? [] : [{ plan, ofFilter: values }];
    });

  /** How many of a filter there are among the newest that its index leads to. */
  async function countOf(scope: Scope, filter: InboxFilter): Promise<number> {
    const counted = plansOf(scope, filter, false).map(({ plan, ofFilter }) => {
      const values = [...ofFilter];
      const bind = bindTo(values);
      const part = { above: bind(0), below: bind(endless), direction: "DESC" } as const;
      const looked = `${listText({ ...plan, conditions: [] }, part)} LIMIT ${lookedAtMax}`;
      const conditions = [`arrival IN (${looked})`, ...plan.conditions].join(" AND ");
      const text = `SELECT count(*) AS count FROM (SELECT 1 FROM submission WHERE ${conditions} LIMIT ${countMax}) AS found`;
      return read(unprepared<{ count: number }>(text, values, "any"));
    });
    return (await Promise.all(counted)).reduce((sum, rows) => sum + only(rows).count, 0);
  }

  function listText({ along, fixed, conditions }: ListPlan, part: ListPart): string {
    const others = [...fixed].filter(([column]) => column !== along).map(equals);
    const { condition, order } =
      along === null
        ? { condition: `arrival > ${part.above} AND arrival < ${part.below}`, order: `arrival ${part.direction}` }
        : inbox.walk(along, fixed.get(along) ?? "", part);
    return `SELECT arrival FROM submission ${indexedBy(along && `submission_${along}`)}
      WHERE ${[...others, ...conditions, condition].join(" AND ")} ORDER BY ${order}`;
  }

  /** @param found a SELECT. CROSS JOIN: SQLite reads it first. */
  const searchText = ({ fixed, conditions }: ListPlan, found: string, { direction }: ListPart): string => `
    SELECT found.arrival FROM (${found}) AS found CROSS JOIN submission
    WHERE ${["submission.arrival = found.arrival", ...[...fixed].map(equals), ...conditions].join(" AND ")}
    ORDER BY found.arrival ${direction}`;

  return {
    async listSubmissions(scope, asked, { after, ...page }) {
      const { reference, filter } = splitReference(asked);
      const descending = filter.order !== "oldest";
      let { above, below } = await boundsOf(filter);
      if (after !== undefined && descending) below = Math.min(below, after);
      if (after !== undefined && !descending) above = Math.max(above, after);
      if (reference !== null) {
        const named = references.parse(reference);
        const [found] = named === null ? [] : await read(arrivalOfDay(named.dayNumber, named.kind));
        const arrival = found?.arrival ?? 0;
        [above, below] = [Math.max(above, arrival - 1), Math.min(below, arrival + 1)];
      }
      const { rows, next } = await find(scope, filter, { above, below, descending, isNamed: reference !== null }, page);
      return { rows: rows.map(readSubmissionAnyway), next };
    },

    async countByStage(scope, filter) {
      const counted = stages.map(async (stage) => [stage, await countOf(scope, { ...filter, stage })] as const);
      return Object.fromEntries(await Promise.all(counted)) as Record<Stage, number>;
    },

    countByStatus: async ({ kinds }, operator) => only(await read(counts(kinds, operator))),

    since: async ({ kinds }, arrival) => only(await read(since(kinds, arrival))),
  } satisfies Partial<DeskStore>;
}

const equals = ([column, value]: readonly [ListColumn, string]): string => `${column} = ${value}`;

/** A search for a whole reference, if it is one, and what else the filter wants. */
function splitReference(asked: InboxFilter): { reference: string | null; filter: InboxFilter } {
  for (const part of ["search", "letter"] as const) {
    const { [part]: text, ...filter } = asked;
    const reference = text?.trim().toUpperCase() ?? "";
    if (referenceShape.test(reference)) return { reference, filter };
  }
  return { reference: null, filter: asked };
}
