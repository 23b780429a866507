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
  const { status, assignee, hasResume, disposable, from, until } = filter;
  const [kind, ...more] = scope.kinds.filter(
    (one) =>
      (filter.kind === undefined || filter.kind === one) &&
      // Inquiries have none: looking for one would read all of them.
      (hasResume !== true || one === "application"),
  );
  if (kind === undefined) return null;
  const conditions: Condition[] = [];
  const where = (text: string, ...values: number[]) => conditions.push({ text, values });
  const fix = (column: "kind" | "status" | "assignee" | "disposable", value: string | number) =>
    conditions.push({ fixes: column, text: `submission.${column} = ?`, values: [value] });
  if (more.length === 0) fix("kind", kind);
  if (status === undefined) where("submission.status <> 'spam'");
  else fix("status", status);
  if (assignee === "none") where("submission.assignee IS NULL");
  else if (assignee !== undefined) fix("assignee", assignee);
  if (hasResume !== undefined) where(`submission.resume_scan IS ${hasResume ? "NOT NULL" : "NULL"}`);
  if (disposable === true) fix("disposable", 1);
  else if (disposable === false) where("submission.disposable = 0");
  if (from !== undefined) where("submission.received_at >= ?", from);
  if (until !== undefined) where("submission.received_at < ?", until);
  return { index: indexFor(filter, more.length === 0), conditions };
}

// The rarest first.
function indexFor({ disposable, status, assignee }: InboxFilter, oneKind: boolean): ListIndex {
  if (disposable === true) return "disposable";
  if (status === "new" || status === "open") return "status";
  if (assignee !== undefined && assignee !== "none") return "assignee";
  if (status !== undefined) return "status";
  return oneKind ? "kind" : "arrival";
}

/** The most rows that are counted. Counting further costs much and tells little. */
export const countMax = 1_001;

export const rowsOf = ({ limit = pageLimit }: PageRequest): number =>
  Math.max(1, Math.min(Math.trunc(limit), pageLimitMax));

/**
 * A page of a list.
 *
 * @param rows one more than the page holds, if there are more
 * @param numberOf the number of a row; the next page begins after that of the last row shown
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
