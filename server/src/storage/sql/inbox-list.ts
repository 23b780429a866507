// A page of the inbox, and how many there are.
import {
  type InboxCounts,
  type InboxFilter,
  type Page,
  type StageCounts,
  type TabCounts,
  triageStatuses,
  waitedFors,
} from "@submissions/shared/console";
import { kindOf, kindOfReference, type SubmissionKind, submissionKinds } from "@submissions/shared/kinds";
import { referenceShape } from "@submissions/shared/reference";
import { type Stage, stages } from "@submissions/shared/stages";
import { cleanLine } from "@submissions/shared/text";
import type { DeskStore, Scope } from "../desk-store.ts";
import type { Clock } from "../../clock.ts";
import { type Bounds, endless, type PageLimits, readPage } from "./ranges.ts";
import {
  countMax,
  type ListColumn,
  type ListPlan,
  type ListWords,
  partsOf,
  planList,
  walkedScopes,
  wordsOf,
} from "../rules/inbox-filter.ts";
import type { TriageStatus } from "../records.ts";
import { quoted, readFields, textsOf } from "../rules/columns.ts";
import type { References } from "../rules/references.ts";
import { readSubmissionAnyway, submissionColumns, type SubmissionRow } from "../rules/submission-row.ts";
import { type Bind, bindTo, type Engine, only, type Value } from "./engine.ts";
import { prepareWords, spelledAs } from "./tags.ts";

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
   * @param areRare whether it must look the words up first, because they fill no page among the nearest rows
   */
  find(words: ListWords, part: ListPart, bind: Bind, areRare: boolean): string;
}

/** Of a time with more submissions than these the list is read from its end. */
const boundedMax = 20_000;

/** Changed submissions that one answer tells of. */
const changedMax = 100;
/** Entries of the audit log about submissions that it looks at, and numbers of entries that it passes over for them: some 10 ms. */
const entriesMax = 1_000;
const passedMax = 50_000;
/** Parts of a filter beside which the words of a search are the narrow one. */
const wideParts = ["search", "letter", "lettersOnly", "order", "from", "until", "kind"];
/** For how long a tab is counted. */
const countMsMax = 100;

export function makeInboxLists(engine: Engine, references: References, inbox: Inbox, clock: Clock) {
  const { prepare, unprepared, indexedBy, among, ranges, read } = engine;
  const findLast = prepare<{ last: number }>("SELECT coalesce(max(arrival), 0) AS last FROM submission");
  const arrivalOfDay = prepare<{ arrival: number }>(`
    SELECT arrival FROM submission WHERE day_number = $1 AND kind = $2`);

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
  const numbersOf = (index: string, condition: string) =>
    `(SELECT count(*) AS count, count(*) FILTER (WHERE assignee = $2) AS mine,
        count(*) FILTER (WHERE assignee IS NULL) AS unassigned, ${ofKind.join(", ")}
      FROM submission ${indexedBy(index)} WHERE ${condition} AND ${among("kind", "$1")})`;
  // Each by itself: for both in one SQLite would compare every row with both words.
  const waiting = (status: "new" | "open") => numbersOf("submission_status", `status = '${status}'`);
  const snoozed = numbersOf("submission_snoozed", "snoozed_until > $3 AND status IN ('new', 'open')");
  const awake = (name: string, as = name) => `fresh."${name}" + begun."${name}" - snoozed."${name}" AS "${as}"`;
  const summed = ["mine", "unassigned", ...plurals].map((name) => awake(name));
  const counts = prepare<InboxCounts>(`
    SELECT fresh.count AS new, begun.count AS open, ${awake("count", "todo")}, ${summed.join(", ")},
      ${capped("done")} AS done, ${capped("spam")} AS spam
    FROM ${waiting("new")} AS fresh, ${waiting("open")} AS begun, ${snoozed} AS snoozed`);
  const latest = (kind: SubmissionKind) =>
    `SELECT (SELECT arrival FROM submission ${indexedBy("submission_kind")}
      WHERE kind = '${kind}' AND ${among(`'${kind}'`, "$1")} ORDER BY arrival DESC LIMIT 1) AS last`;
  const since = prepare<{ latest: number; added: number }>(`
    SELECT coalesce(max(last), 0) AS latest, ${capped("new", "arrival > $2")} AS added
    FROM (${submissionKinds.map(latest).join(" UNION ALL ")}) AS newest`);

  const lastEntry = engine.lastComplete("audit", "id");
  const entries = prepare<{ id: number; subject: string; erased: string | null }>(`
    SELECT id, subject, CASE action WHEN 'erase' THEN detail END AS erased FROM audit WHERE id > $1 AND id <= $2
      AND (substr(subject, 1, 4) IN (${quoted(submissionKinds.map((kind) => `${kindOf(kind).prefix}-`))}) OR action = 'erase')
    ORDER BY id LIMIT ${entriesMax}`);
  const byArrival = prepare<SubmissionRow>(`
    SELECT ${submissionColumns} FROM submission WHERE ${among("arrival", "$1", "bigint")}`);

  const tagWords = prepareWords(engine);

  async function arrivalOf(reference: string): Promise<number | undefined> {
    const named = references.parse(reference);
    const [found] = named === null ? [] : await read(arrivalOfDay(named.dayNumber, named.kind));
    return found?.arrival;
  }

  /** Where the list of a filter begins and ends. */
  async function rangeOf({ kinds }: Scope, asked: InboxFilter, after?: number) {
    const { reference, filter } = splitReference(asked);
    const descending = filter.order !== "oldest";
    let { above, below } = await boundsOf(filter);
    if (after !== undefined && descending) below = Math.min(below, after);
    if (after !== undefined && !descending) above = Math.max(above, after);
    if (reference !== null) {
      const arrival = (await arrivalOf(reference)) ?? 0;
      [above, below] = [Math.max(above, arrival - 1), Math.min(below, arrival + 1)];
    }
    const tag = filter.tag && spelledAs(await read(tagWords(kinds)), cleanLine(filter.tag));
    const bounds = { above, below, descending, isNamed: reference !== null };
    return { filter: { ...filter, ...(tag && { tag }) }, bounds };
  }

  async function find<Row extends Pick<SubmissionRow, "arrival">>(
    scope: Scope,
    filter: InboxFilter,
    bounds: Bounds & { readonly isNamed: boolean },
    page: PageLimits,
    columns: string,
  ): Promise<Page<Row>> {
    const isSearch = filter.search !== undefined || filter.letter !== undefined;
    // Otherwise another part of the filter may be the narrow one.
    const isWide = Object.entries(filter).every(([name, value]) => value === undefined || wideParts.includes(name));
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
        const whole = `SELECT ${columns} FROM submission WHERE arrival IN (${text} LIMIT ${bind(limit)})`;
        return read(unprepared<Row>(whole, values, isSearch ? "any" : "index"));
      });
      const rows = (await Promise.all(reads)).flat();
      return rows.toSorted((a, b) => (descending ? b.arrival - a.arrival : a.arrival - b.arrival)).slice(0, limit);
    };
    const last = async () => only(await read(findLast())).last;
    return readPage({ ...bounds, ranges, isSearch, last, read: readRange, numberOf: ({ arrival }) => arrival }, page);
  }

  /** What is to be done is two walks along indexes. */
  const plansOf = (scope: Scope, filter: InboxFilter, isSearch: boolean) =>
    walkedScopes(scope).flatMap((walked) =>
      partsOf(filter).flatMap((part) => {
        const values: Value[] = [];
        const plan = planList(walked, filter, part, bindTo(values), isSearch, clock.now());
        return plan === null ? [] : [{ plan, ofFilter: values }];
      }),
    );

  /** How many of a filter there are, up to `countMax`; null: counting takes too long. */
  async function countOf(scope: Scope, asked: InboxFilter): Promise<number | null> {
    const { filter, bounds } = await rangeOf(scope, asked);
    const limits = { limit: countMax - 1, limitMax: countMax, workMsMax: countMsMax };
    const { rows, next } = await find(scope, filter, bounds, limits, "arrival");
    return next === null ? rows.length : rows.length < limits.limit ? null : countMax;
  }

  function listText({ along, fixed, conditions }: ListPlan, part: ListPart): string {
    const others = [...fixed].filter(([column]) => column !== along).map(equals);
    const { condition, order } =
      along === null || along === "ours" || along === "theirs"
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
      const { filter, bounds } = await rangeOf(scope, asked, after);
      const { rows, next } = await find<SubmissionRow>(scope, filter, bounds, page, submissionColumns);
      return { rows: rows.map(readSubmissionAnyway), next };
    },

    async countByStage(scope, filter) {
      const counted: Partial<Record<Stage, number | null>> = {};
      for (const stage of stages) counted[stage] = await countOf(scope, { ...filter, stage });
      return counted as StageCounts;
    },

    countByStatus: async ({ kinds }, operator) => only(await read(counts(kinds, operator, clock.now()))),

    async countTabs(scope, { status: _status, waiting: _waiting, order: _order, ...filter }) {
      const counted: Partial<Record<keyof TabCounts, number | null>> = {};
      for (const waits of waitedFors) counted[waits] = await countOf(scope, { ...filter, waiting: waits });
      for (const status of triageStatuses) counted[status] = await countOf(scope, { ...filter, status });
      const { us = null, them = null } = counted;
      return { ...counted, todo: us === null || them === null ? null : Math.min(us + them, countMax) } as TabCounts;
    },

    async since({ kinds }, arrival, change) {
      const last = await lastEntry();
      const until = Math.min(last, (change ?? last) + passedMax);
      const found = change === undefined || change >= last ? [] : await read(entries(change, until));
      const isSeen = (reference: string) => kinds.some((kind) => kind === kindOfReference(reference));
      const names = new Set<string>();
      // What is behind the end is for the next time.
      let end = found.length === entriesMax ? found.at(-1)!.id : until;
      for (const { id, subject } of found) {
        if (!isSeen(subject)) continue;
        if (!names.has(subject) && names.size === changedMax) {
          end = id - 1;
          break;
        }
        names.add(subject);
      }
      const arrivals = await Promise.all([...names].map(arrivalOf));
      const rows = await read(byArrival(arrivals.filter((one) => one !== undefined)));
      const gone = found.flatMap(({ erased }) => textsOf(readFields(erased ?? "")["references"])).filter(isSeen);
      return { ...only(await read(since(kinds, arrival))), change: end, changed: rows.map(readSubmissionAnyway), gone };
    },
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
