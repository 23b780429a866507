// Which rows the filter of a list wants, and which index leads to them. Planners choose badly here on both engines, so
// the choice is made in code.
import type { InboxFilter, Page, PageRequest } from "@submissions/shared/console";
import { pageLimit, pageLimitMax, type Scope } from "../desk-store.ts";
import type { SubmissionKind } from "../records.ts";

/** The index that a list walks along. `arrival`: the table itself. */
export type ListIndex = "disposable" | "assignee" | "status" | "kind" | "arrival";

/** A condition of a list, with a value for each `?`. */
export interface Condition {
  /** The index whose first column this fixes. */
  readonly fixes?: ListIndex;
  readonly text: string;
  readonly values: readonly (string | number)[];
}

export interface ListPlan {
  readonly index: ListIndex;
  readonly conditions: readonly Condition[];
}

/** Null: the scope holds nothing of it. */
export function planList(scope: Scope, filter: InboxFilter): ListPlan | null {
  const kinds = scope.kinds.filter(
    (kind) =>
      (filter.kind === undefined || filter.kind === kind) &&
      // Inquiries have none: looking for one would read all of them.
      (filter.hasResume !== true || kind === "application"),
  );
  const [kind, ...more] = kinds;
  if (kind === undefined) return null;
  const oneKind = more.length === 0;
  const conditions = [
    ...(oneKind ? [{ fixes: "kind" as const, ...condition("submission.kind = ?", kind) }] : []),
    ...statusConditions(filter),
    ...assigneeConditions(filter),
    ...(filter.hasResume === undefined
      ? []
      : [condition(`submission.resume_scan IS ${filter.hasResume ? "NOT NULL" : "NULL"}`)]),
    ...disposableConditions(filter),
  ];
  return { index: indexFor(filter, oneKind), conditions };
}

const condition = (text: string, ...values: (string | number)[]): Condition => ({ text, values });

const statusConditions = ({ status }: InboxFilter): Condition[] => [
  status === undefined
    ? condition("submission.status <> 'spam'")
    : { fixes: "status", ...condition("submission.status = ?", status) },
];

function assigneeConditions({ assignee }: InboxFilter): Condition[] {
  if (assignee === undefined) return [];
  if (assignee === "none") return [condition("submission.assignee IS NULL")];
  return [{ fixes: "assignee", ...condition("submission.assignee = ?", assignee) }];
}

function disposableConditions({ disposable }: InboxFilter): Condition[] {
  if (disposable === undefined) return [];
  return disposable
    ? [{ fixes: "disposable", ...condition("submission.disposable = ?", 1) }]
    : [condition("submission.disposable = 0")];
}

// The rarest first.
function indexFor({ disposable, status, assignee }: InboxFilter, oneKind: boolean): ListIndex {
  if (disposable === true) return "disposable";
  if (status === "new" || status === "open") return "status";
  if (assignee !== undefined && assignee !== "none") return "assignee";
  if (status !== undefined) return "status";
  return oneKind ? "kind" : "arrival";
}

/** Counting further costs much and tells little. */
export const countMax = 1_001;

/** How many rows a page has. */
export const rowsOf = ({ limit = pageLimit }: PageRequest): number =>
  Math.max(1, Math.min(Math.trunc(limit), pageLimitMax));

/**
 * A page of a list.
 *
 * @param rows one more than the page holds, if there are more
 * @param numberOf the number behind which the next page begins
 */
export function pageOf<Row>(rows: readonly Row[], limit: number, numberOf: (row: Row) => number): Page<Row> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { rows: shown, next: rows.length > limit && last !== undefined ? numberOf(last) : null };
}

/** The kinds of mails that a scope holds. */
export const mailKindsOf = ({ kinds, subscribers }: Scope): string[] => [
  ...kinds.flatMap((kind: SubmissionKind) => [`${kind}-receipt`, `${kind}-notice`]),
  ...(subscribers ? ["newsletter-welcome"] : []),
  // It counts what every role sees.
  ...(subscribers && kinds.length > 0 ? ["digest"] : []),
];

/** A list in SQL. Only for texts of our own. */
export const quoted = (texts: readonly string[]): string => texts.map((text) => `'${text}'`).join(", ");
