// Which rows the filter of a list wants, and which index leads to them: the planners of both engines choose badly here.
import type { InboxFilter } from "@submissions/shared/console";
import { kindOf, submissionKinds } from "@submissions/shared/kinds";
import { stages } from "@submissions/shared/stages";
import type { Scope } from "../desk-store.ts";
import type { SubmissionKind, TriageStatus } from "../records.ts";
import { isAwake, openWaits } from "./waiting.ts";
import { letterWords, type TypedWords, typedWords } from "../../search-words.ts";

/** Columns that lead an index. */
export type ListColumn = "disposable" | "assignee" | "stage" | "status" | "kind";

/** A status whose submissions are one part of a list, and of open ones for whom they wait. */
export interface StatusPart {
  readonly status?: TriageStatus | undefined;
  readonly waits?: keyof typeof openWaits;
}

/** The parts of a list: each is walked along an index of its own. */
export function partsOf({ status, waiting }: InboxFilter): readonly StatusPart[] {
  const parts: readonly StatusPart[] =
    waiting === "them"
      ? [{ status: "open", waits: "theirs" }]
      : waiting === "us"
        ? [{ status: "new" }, { status: "open", waits: "ours" }]
        : status === "todo"
          ? [{ status: "new" }, { status: "open" }]
          : [{ status }];
  return parts.filter((part) => status === undefined || status === "todo" || part.status === status);
}

/** The scopes that a list walks: an index leads to one kind or to all of them. */
export const walkedScopes = (scope: Scope): readonly Scope[] =>
  submissionKinds.every((kind) => scope.kinds.includes(kind))
    ? [scope]
    : scope.kinds.map((kind) => ({ ...scope, kinds: [kind] }));

export interface ListPlan {
  /** Whose index the list walks along; null: the table itself. */
  readonly along: ListColumn | keyof typeof openWaits | null;
  /** What columns are to be, in SQL. */
  readonly fixed: ReadonlyMap<ListColumn, string>;
  readonly conditions: readonly string[];
}

/**
 * Null: the scope, one of `walkedScopes`, holds nothing of it.
 * @param bind adds a value to the parameters, and answers how the text names it
 * @param part of the list, which says the status
 * @param isSearch whether a list without a status has spam, too
 * @param now for what is to be done
 */
export function planList(
  { kinds }: Scope,
  filter: InboxFilter,
  { status, waits }: StatusPart,
  bind: (value: string | number) => string,
  isSearch: boolean,
  now: number,
): ListPlan | null {
  const { kind, stage, assignee, hasResume, disposable, from, until, tag } = filter;
  // Looking for a resume among those of a kind that takes none would read all of them.
  const asked = kinds.filter(
    (one) =>
      (kind === undefined || kind === one) &&
      (hasResume !== true || kindOf(one).file !== null) &&
      (stage === undefined || kindOf(one).staged),
  );
  const [only] = asked;
  if (only === undefined) return null;
  // The rarest first. Values are literals where an index has only some of them.
  const fixed = new Map<ListColumn, string>();
  if (disposable === true) fixed.set("disposable", "1");
  // The first stage has no index: those that are in it and to be done are found by their status.
  if (stage !== undefined && stage !== stages[0]) fixed.set("stage", `'${stage}'`);
  if (status === "new" || status === "open") fixed.set("status", `'${status}'`);
  if (assignee !== undefined && assignee !== "none") fixed.set("assignee", bind(assignee));
  if (status !== undefined) fixed.set("status", `'${status}'`);
  if (asked.length === 1) fixed.set("kind", `'${only}'`);
  const conditions: string[] = [];
  if (status === undefined && !isSearch) conditions.push("status <> 'spam'");
  if (stage === stages[0]) conditions.push(`stage = '${stage}'`);
  if (waits !== undefined) conditions.push(openWaits[waits]);
  // What is snoozed is not to be done.
  if (filter.status === "todo" || filter.waiting !== undefined) conditions.push(isAwake(bind(now)));
  if (assignee === "none") conditions.push("assignee IS NULL");
  if (hasResume !== undefined) conditions.push(`resume_scan IS ${hasResume ? "NOT NULL" : "NULL"}`);
  if (disposable === false) conditions.push("disposable = 0");
  if (from !== undefined) conditions.push(`received_at >= ${bind(from)}`);
  if (until !== undefined) conditions.push(`received_at < ${bind(until)}`);
  if (tag !== undefined)
    conditions.push(`submission.arrival IN (SELECT submission FROM tag WHERE word = ${bind(tag)})`);
  for (const texts of storedTexts(filter)) {
    const found = texts.map((text) => `replace(fields, ${bind(text)}, '') <> fields`);
    conditions.push(`(${found.join(" OR ")})`);
  }
  // Of the few that have a tag each is looked up.
  const [first = null] = tag === undefined ? fixed.keys() : [];
  return { along: tag === undefined ? (waits ?? first) : null, fixed, conditions };
}

/** What the JSON of the fields holds where a filter matches: one text of each list. Quotes within its values are escaped. */
function* storedTexts(filter: InboxFilter): Generator<readonly string[]> {
  const { package: id, position, opening, company, source } = filter;
  const quoted = (text: string) => JSON.stringify(text);
  const member = (name: string, text: string) => [`${quoted(name)}:${quoted(text)}`];
  if (id !== undefined) {
    yield ["[", ","].flatMap((before) => ["]", ","].map((behind) => before + quoted(id) + behind));
  }
  if (position !== undefined) yield member("position", position);
  // Behind the resume (see `fieldsOf`): a further field of that name stands behind another text.
  if (opening !== undefined) yield ["null", "}"].map((before) => `${before},"opening":${quoted(opening)}`);
  if (company !== undefined) yield member("company", company);
  if (source !== undefined) yield member("utm_source", source);
}

/** The words of a filter; each part that is there has to match. */
export interface ListWords {
  /** In name, address and company. */
  readonly search?: TypedWords;
  /** In everything that a person wrote, or as `search`; null: too short for that. `isRest`: and not as `search`. */
  readonly letter?: { readonly words: TypedWords; readonly typed: TypedWords | null; readonly isRest: boolean };
}

/** Null: nothing can match. */
export function wordsOf({ search, letter, lettersOnly: isRest = false }: InboxFilter): ListWords | null {
  const typed = search === undefined ? undefined : typedWords(search);
  const words = letter === undefined ? undefined : letterWords(letter);
  if (typed === null || words === null) return null;
  return {
    ...(typed && { search: typed }),
    ...(words && { letter: { words, typed: typedWords(letter ?? ""), isRest } }),
  };
}

/** The most rows that are counted. */
export const countMax = 1_001;

/** The kinds of mails that a scope holds. */
export const mailKindsOf = ({ kinds, subscribers }: Scope): string[] => [
  ...kinds.flatMap((kind: SubmissionKind) => [`${kind}-receipt`, `${kind}-notice`, `${kind}-reply`]),
  ...(subscribers ? ["newsletter-welcome"] : []),
  // They are about what every role sees.
  ...(subscribers && kinds.length > 0 ? ["assignment", "answer", "invitation", "digest"] : []),
];
