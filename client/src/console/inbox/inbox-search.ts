// The inbox's filter as search parameters of the page's address, and back.
import {
  submissionKinds,
  triageStatuses,
  type InboxFilter,
  type SubmissionKind,
  type TriageStatus,
} from "@submissions/shared/console";

/** What stands in the address. Dates are days of the operator's time zone, both included. */
export interface InboxSearch {
  readonly kind?: SubmissionKind;
  /** Absent: what is to be done, and in a search all. */
  readonly status?: TriageStatus | "todo" | "all";
  readonly assignee?: string;
  readonly from?: string;
  readonly until?: string;
  readonly resume?: "yes";
  readonly disposable?: "yes";
  /** What is searched for. */
  readonly q?: string;
  /** Exactly these; `source` is the further field `utm_source`. */
  readonly tag?: string;
  readonly package?: string;
  readonly position?: string;
  readonly company?: string;
  readonly source?: string;
  readonly order?: "oldest";
}

/** The parts of the filter that are compared with what a form sent, or with what operators put on it. */
export const exactParts = ["tag", "package", "position", "company", "source"] as const;

/** The one of these words that a value is. */
export const oneOf = <Word extends string>(words: readonly Word[], value: unknown) =>
  words.find((word) => word === value);
const text = (value: unknown, lengthMax: number) =>
  typeof value === "string" && value.trim() !== "" ? value.slice(0, lengthMax) : undefined;
const day = (value: unknown) =>
  typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value)) ? value : undefined;

/** Removes what is undefined, so that addresses stay short. */
const compact = <Parts extends object>(parts: { [Name in keyof Parts]: Parts[Name] | undefined }): Parts =>
  Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined)) as Parts;

/** Keeps of an address what the inbox understands. */
export const readInboxSearch = (raw: Readonly<Record<string, unknown>>): InboxSearch =>
  compact<InboxSearch>({
    kind: oneOf(submissionKinds, raw["kind"]),
    status: oneOf([...triageStatuses, "todo", "all"] as const, raw["status"]),
    assignee: text(raw["assignee"], 254),
    from: day(raw["from"]),
    until: day(raw["until"]),
    resume: oneOf(["yes"], raw["resume"]),
    disposable: oneOf(["yes"], raw["disposable"]),
    // Older addresses have `letter`.
    q: text(raw["q"] ?? raw["letter"], 200),
    ...Object.fromEntries(exactParts.map((name) => [name, text(raw[name], 200)])),
    order: oneOf(["oldest"], raw["order"]),
  });

/** Midnight in the operator's time zone, so many days later. Days have 23 to 25 hours there, so the calendar adds them. */
export function midnight(at: number, daysLater: number): number {
  const day = new Date(at);
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + daysLater).getTime();
}

/** Before 1970, and while a year is being typed, it is the beginning of 1970: nothing is older. */
const dayAt = (date: string, daysLater: number) => Math.max(0, midnight(Date.parse(`${date}T00:00`), daysLater));

/** The filter that the server is asked for. */
export function filterOf(search: InboxSearch): InboxFilter {
  const { q: _q, from, until, resume, ...same } = search;
  return compact<InboxFilter>({
    ...same,
    status: statusOf(search),
    from: from === undefined ? undefined : dayAt(from, 0),
    until: until === undefined ? undefined : dayAt(until, 1),
    hasResume: resume && true,
    disposable: search.disposable && true,
    letter: wordsOf(search),
  });
}

/** What is searched for, from two letters on. */
const wordsOf = ({ q = "" }: InboxSearch): string | undefined => (q.trim().length >= 2 ? q.trim() : undefined);

/** The state that is shown; undefined: all but spam, in a search spam too. */
export function statusOf({ status, q }: InboxSearch): InboxFilter["status"] | undefined {
  if (status === "all") return undefined;
  return status ?? (q === undefined ? "todo" : undefined);
}

/** A change of the address: parts that are undefined go. */
export const changed = (
  search: InboxSearch,
  change: { readonly [Name in keyof InboxSearch]?: InboxSearch[Name] | undefined },
): InboxSearch => compact<InboxSearch>({ ...search, ...change });

/** Whether the address narrows the list. */
export const isFiltered = ({ order: _order, ...narrowing }: InboxSearch): boolean =>
  Object.values(narrowing).some((part) => part !== undefined);
