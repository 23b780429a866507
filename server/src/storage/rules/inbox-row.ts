// A submission as a row of a list, its neighbours there, and its possible duplicates.
import type { InboxFilter, InboxRow, Neighbours } from "@submissions/shared/console";
import type { DeskDetail, DeskStore, Scope } from "../desk-store.ts";
import type { ScanState, StoredSubmission } from "../records.ts";
import { readSubmissionAnyway, submissionColumns, type SubmissionRow } from "./submission-row.ts";

/** The columns that a row of a list is read from. */
export const listedColumns = [...submissionColumns, "disposable"].map((column) => `submission.${column}`).join(", ");

export interface ListedRow extends SubmissionRow {
  readonly disposable: number;
}

/** The columns of the page of a submission. */
export const detailColumns = `${listedColumns}, resume_scan, resume_sha256, email_key`;

export interface DetailRow extends ListedRow {
  readonly resume_scan: ScanState | null;
  readonly resume_sha256: string | null;
  readonly email_key: string;
}

const summaryLengthMax = 200;

export const inboxRow = (row: ListedRow): InboxRow => inboxRowOf(readSubmissionAnyway(row), row.disposable === 1);

export function inboxRowOf(submission: StoredSubmission, disposable: boolean): InboxRow {
  const { arrival, reference, kind, name, email, company, status, assignee, version, receivedAt } = submission;
  const hasResume = submission.kind === "application" && submission.resume !== null;
  const summary = shorten(summaryOf(submission));
  return {
    arrival,
    reference,
    kind,
    name,
    email,
    company,
    summary,
    status,
    assignee,
    version,
    receivedAt,
    hasResume,
    disposable,
  };
}

function summaryOf(submission: StoredSubmission): string {
  if (submission.kind === "inquiry") return submission.selectedPackageIds.join(", ");
  const letter = (submission.coverLetter ?? "").slice(0, 2 * summaryLengthMax).replaceAll(/\s+/g, " ");
  return letter === "" ? submission.position : `${submission.position} – ${letter}`;
}

function shorten(text: string): string {
  const points = Array.from(text.slice(0, 2 * summaryLengthMax));
  return points.length <= summaryLengthMax ? points.join("") : `${points.slice(0, summaryLengthMax - 1).join("")}…`;
}

/** The rows before and behind an arrival number in a list. */
export async function neighboursOf(
  list: DeskStore["listSubmissions"],
  scope: Scope,
  arrival: number,
  filter: InboxFilter,
): Promise<Neighbours> {
  const backwards = { ...filter, order: filter.order === "oldest" ? "newest" : "oldest" } as const;
  const [before, behind] = await Promise.all([
    list(scope, backwards, { after: arrival, limit: 1 }),
    list(scope, filter, { after: arrival, limit: 1 }),
  ]);
  const named = (row: InboxRow | undefined) =>
    row === undefined ? null : { reference: row.reference, kind: row.kind };
  return { previous: named(before.rows[0]), next: named(behind.rows[0]) };
}

/** Possible duplicates of a submission that its page shows. */
export const duplicatesMax = 5;

export type Twin = DeskDetail["duplicates"][number] & { readonly arrival: number };

/** The newest of some submissions, each once. */
export function newestTwins(twins: readonly Twin[]): DeskDetail["duplicates"] {
  const byArrival = new Map(twins.map((twin) => [twin.arrival, twin]));
  return [...byArrival.values()]
    .toSorted((a, b) => b.arrival - a.arrival)
    .slice(0, duplicatesMax)
    .map(({ reference, kind, receivedAt, status }) => ({ reference, kind, receivedAt, status }));
}
