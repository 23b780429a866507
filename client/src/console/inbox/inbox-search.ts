// The inbox's filter as search parameters of the page's address, and back.
import { triageStatuses, waitedFors, type InboxFilter } from "@submissions/shared/console";
import { submissionKinds } from "@submissions/shared/kinds";
import { stages } from "@submissions/shared/stages";
import { foldLetters, wordsIn } from "@submissions/shared/search-words";

/** The one of these words that a value is. */
export const oneOf = <Word extends string>(words: readonly Word[], value: unknown) =>
  words.find((word) => word === value);
/** A text that is not blank. */
export const textUpTo = (value: unknown, lengthMax: number) =>
  typeof value === "string" && value.trim() !== "" ? value.slice(0, lengthMax) : undefined;
/** A day, or a minute of it: both as the clock of the operator's time zone says. */
const day = (value: unknown) =>
  typeof value === "string" && /^\d{4}-\d\d-\d\d(T\d\d:\d\d)?$/.test(value) && !Number.isNaN(Date.parse(value))
    ? value
    : undefined;

/** Removes what is undefined. */
export const compact = <Parts extends object>(parts: Parts) =>
  Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Parts]?: Exclude<Parts[Name], undefined>;
  };

/** What the inbox understands of an address. Dates are days of the operator's time zone, both included. */
export const readInboxSearch = (raw: Readonly<Record<string, unknown>>) => ({
  kind: oneOf(submissionKinds, raw["kind"]),
  /** Absent: what is to be done, and in a search all. */
  status: oneOf([...triageStatuses, "todo", "all"] as const, raw["status"]),
  stage: oneOf(stages, raw["stage"]),
  waiting: oneOf(waitedFors, raw["waiting"]),
  assignee: textUpTo(raw["assignee"], 254),
  from: day(raw["from"]),
  until: day(raw["until"]),
  resume: oneOf(["yes"], raw["resume"]),
  disposable: oneOf(["yes"], raw["disposable"]),
  /** What is searched for. Older addresses have `letter`. */
  q: textUpTo(raw["q"] ?? raw["letter"], 200),
  tag: textUpTo(raw["tag"], 200),
  package: textUpTo(raw["package"], 200),
  position: textUpTo(raw["position"], 200),
  /** Its id. */
  opening: textUpTo(raw["opening"], 200),
  company: textUpTo(raw["company"], 200),
  /** The further field `utm_source`. */
  source: textUpTo(raw["source"], 200),
  order: oneOf(["oldest"], raw["order"]),
});

export type InboxSearch = Readonly<Partial<ReturnType<typeof readInboxSearch>>>;

/** Midnight in the operator's time zone, so many days later. Days have 23 to 25 hours there, so the calendar adds them. */
export function midnight(at: number, daysLater: number): number {
  const date = new Date(at);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + daysLater).getTime();
}

/** When the working day begins there, so many days later: at eight. */
export const morning = (at: number, daysLater: number): number => new Date(midnight(at, daysLater)).setHours(8, 0);

/** Before 1970, and while a year is being typed, it is the beginning of 1970: nothing is older. */
const dayAt = (date: string, daysLater: number) =>
  Math.max(0, date.includes("T") ? Date.parse(date) : midnight(Date.parse(`${date}T00:00`), daysLater));

/** The filter that the server is asked for. */
export function filterOf(search: InboxSearch): InboxFilter {
  const { q: _q, from, until, resume, ...same } = search;
  return compact({
    ...same,
    status: statusOf(search),
    from: from === undefined ? undefined : dayAt(from, 0),
    until: until === undefined ? undefined : dayAt(until, 1),
    hasResume: resume && true,
    disposable: search.disposable && true,
    letter: wordsOf(search),
  });
}

/** What is searched for, from two letters on; one is enough where words are written without spaces. */
function wordsOf({ q = "" }: InboxSearch): string | undefined {
  const text = q.trim();
  return text.length >= 2 || [...wordsIn(foldLetters(text))].some(({ isRun }) => isRun) ? text : undefined;
}

/** The state that is shown; undefined: all but spam, in a search spam too. */
export function statusOf({ status, q }: InboxSearch): InboxFilter["status"] | undefined {
  if (status === "all") return undefined;
  return status ?? (q === undefined ? "todo" : undefined);
}

/** Whether the address narrows the list. */
export const isFiltered = ({ order: _order, ...narrowing }: InboxSearch): boolean =>
  Object.values(narrowing).some((part) => part !== undefined);
