// The lists of the inbox: along an index that is chosen here.
import type { InboxFilter } from "@submissions/shared/console";
import type { Scope } from "../desk-store.ts";
import type { Bounds } from "../ranges.ts";
import { type Condition, type ListPlan, planList } from "../rules/inbox-filter.ts";
import type { References } from "../rules/references.ts";
import { folded, searchedWords, typedWords } from "../rules/words.ts";
import type { Engine } from "../sql/engine.ts";
import { makeInboxLists, prepareFindLast } from "../sql/inbox-list.ts";
import type { Connections } from "./connections.ts";
import type { Session } from "./session.ts";

// A list is ordered by the first column of its index, too, so that no other index gives its order. Sorting is ruled out.
const alongIndex =
  "SET LOCAL enable_sort = off; SET LOCAL enable_incremental_sort = off; SET LOCAL enable_bitmapscan = off";
// The lists of a search are planned with their words: rare and frequent ones need different plans.
const bySearch = "SET LOCAL plan_cache_mode = force_custom_plan";

export function makeDeskLists(connections: Connections, engine: Engine, references: References) {
  const findLast = prepareFindLast(engine);
  return makeInboxLists(engine, references, async (scope, filter, bounds) => {
    const wanted = listOf(scope, filter);
    const found = wanted === null ? [] : await find(connections, findLast, wanted, bounds);
    return { rows: found.map(({ arrival }) => arrival), stoppedAt: null };
  });
}

/**
 * A search looks through so many rows before it asks the index of words. A word that fills no page among them is rare
 * enough for that index. The planner cannot tell: it takes any word that it has no statistics of for a frequent one, and
 * would read all rows to find that there is none.
 */
const nearRows = 20_000;

interface Listed {
  readonly arrival: number;
}

async function find(
  connections: Connections,
  findLast: () => Promise<number>,
  wanted: ListStatement,
  bounds: Bounds,
): Promise<Listed[]> {
  if (wanted.rare === undefined) return read(connections, wanted, wanted.text, bounds);
  const { above, below, limit, descending } = bounds;
  const last = await findLast();
  const near = descending
    ? { ...bounds, above: Math.max(above, Math.min(below, last + 1) - nearRows) }
    : { ...bounds, below: Math.min(below, above + nearRows) };
  const found = await read(connections, wanted, wanted.text, near);
  return found.length >= limit ? found : read(connections, wanted, wanted.rare, bounds);
}

function read(
  connections: Connections,
  { settings, values }: ListStatement,
  text: string,
  { above, below, limit }: Bounds,
): Promise<Listed[]> {
  const all = [...values, above, below, limit];
  const work = async (session: Session) => {
    // In this order: the settings are there before the statement is planned.
    const [, found] = await Promise.all([session.script(settings), session.all<Listed>({ text }, all)]);
    return found;
  };
  return connections.transaction(work, { repeatable: true });
}

interface ListStatement {
  readonly text: string;
  readonly settings: string;
  /** Behind them come the arrival numbers between which is read, and the limit. */
  readonly values: readonly (string | number)[];
  /** For words that are rare, with the same values. Absent: another part of the filter may be the narrow one. */
  readonly rare?: string;
}

/** The arrival numbers of a list; null: nothing can match. */
export function listOf(scope: Scope, filter: InboxFilter): ListStatement | null {
  const plan = planList(scope, filter);
  const matches = [
    ...(filter.search === undefined ? [] : [match("who", typedQuery(filter.search))]),
    ...(filter.letter === undefined ? [] : [matchAnywhere(filter.letter)]),
  ];
  if (plan === null || matches.includes(null)) return null;
  const found = matches.flatMap((one) => one ?? []);
  const direction = filter.order === "oldest" ? "ASC" : "DESC";
  return found.length === 0 ? listAlong(plan, direction) : listFound(plan, found, direction, isWide(filter));
}

/** Along the index of the plan. A comparison of rows finds the place in it, whatever the first column is. */
function listAlong({ index, conditions }: ListPlan, direction: "ASC" | "DESC"): ListStatement {
  const fixed = conditions.find(({ fixes }) => fixes === index);
  const [first] = fixed?.values ?? [];
  const others = conditions.filter((one) => one !== fixed);
  const values = others.flatMap((one) => one.values);
  const place = new Numbered(others);
  if (first === undefined) {
    const wheres = [...place.texts, `arrival > ${place.next()}`, `arrival < ${place.next()}`].join(" AND ");
    const text = `SELECT arrival FROM submission WHERE ${wheres} ORDER BY arrival ${direction} LIMIT ${place.next()}`;
    return { text, values, settings: alongIndex };
  }
  // The number and the literals are ours; an address of an operator is a parameter.
  if (index === "assignee") values.push(first);
  const value = index === "assignee" ? place.next() : typeof first === "number" ? String(first) : `'${first}'`;
  const wheres = [
    ...place.texts,
    ...(index === "assignee" ? ["assignee IS NOT NULL"] : []),
    // As the index says it: an equality would make the order by this column mean nothing.
    ...(index === "disposable" ? ["disposable > 0"] : []),
    `(${index}, arrival) > (${value}, ${place.next()}::bigint)`,
    `(${index}, arrival) < (${value}, ${place.next()}::bigint)`,
  ].join(" AND ");
  const order = `ORDER BY ${index} ${direction}, arrival ${direction} LIMIT ${place.next()}`;
  return { text: `SELECT arrival FROM submission WHERE ${wheres} ${order}`, values, settings: alongIndex };
}

/** Whether nothing but the kind, the time and the words narrows a list. */
const isWide = ({ status, assignee, hasResume, disposable }: InboxFilter): boolean =>
  [status, assignee, hasResume, disposable].every((part) => part === undefined);

function listFound(
  plan: ListPlan,
  found: readonly Condition[],
  direction: "ASC" | "DESC",
  wide: boolean,
): ListStatement {
  const conditions = [...plan.conditions, ...found];
  const place = new Numbered(conditions);
  const arrival = "submission_search.arrival";
  const ofWords = [
    ...place.texts.slice(plan.conditions.length),
    `${arrival} > ${place.next()}`,
    `${arrival} < ${place.next()}`,
  ].join(" AND ");
  const others = place.texts.slice(0, plan.conditions.length).join(" AND ");
  const order = (column: string) => `ORDER BY ${column} ${direction} LIMIT ${limit}`;
  const limit = place.next();
  const text = `SELECT ${arrival} AS arrival FROM submission_search JOIN submission USING (arrival)
    WHERE ${others} AND ${ofWords} ${order(arrival)}`;
  // Without an order in it, the first part can only be read by the index of words.
  const rare = `WITH found AS MATERIALIZED (SELECT arrival FROM submission_search WHERE ${ofWords})
    SELECT found.arrival FROM found JOIN submission USING (arrival) WHERE ${others} ${order("found.arrival")}`;
  return {
    text,
    values: conditions.flatMap((one) => one.values),
    settings: bySearch,
    ...(wide && { rare }),
  };
}

/** Conditions with numbered parameters. */
class Numbered {
  readonly texts: readonly string[];
  #number = 0;

  constructor(conditions: readonly Condition[]) {
    this.texts = conditions.map(({ text }) => text.replaceAll("?", () => this.next()));
  }

  next(): string {
    return `$${(this.#number += 1)}`;
  }
}

const match = (column: "who" | "letter", query: string | null) =>
  query === null ? null : { text: `submission_search.${column} @@ ?::tsquery`, values: [query] };

// A search for letters also finds what `search` finds.
function matchAnywhere(text: string) {
  const [whole, typed] = [match("letter", letterQuery(text)), match("who", typedQuery(text))];
  if (whole === null || typed === null) return whole;
  return { text: `(${whole.text} OR ${typed.text})`, values: [...whole.values, ...typed.values] };
}

// Words of letters and digits alone need no quoting but for apostrophes, which they have not.
const lexeme = (word: string): string => `'${folded(word)}'`;

function typedQuery(text: string): string | null {
  const typed = typedWords(text);
  return typed === null ? null : [...typed.whole.map(lexeme), `${lexeme(typed.beginning)}:*`].join(" & ");
}

function letterQuery(text: string): string | null {
  const words = searchedWords(text);
  return words.length === 0 ? null : words.map(lexeme).join(" & ");
}
