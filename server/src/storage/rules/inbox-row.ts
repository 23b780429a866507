// A submission as a row of a list.
import type { InboxRow } from "@submissions/shared/console";
import type { StoredSubmission } from "../records.ts";
import { picked } from "./columns.ts";
import { matchedSentence } from "./matched-sentence.ts";
import { readSubmissionAnyway, submissionColumns, type SubmissionRow } from "./submission-row.ts";

/** The columns that a row of a list is read from. */
export const listedColumns = `${submissionColumns}, submission.disposable`;

export interface ListedRow extends SubmissionRow {
  readonly disposable: number;
}

const summaryLengthMax = 200;

export const inboxRow = (row: ListedRow): InboxRow => inboxRowOf(readSubmissionAnyway(row), row.disposable === 1);

/** In a search for words with the sentence that it has found. */
export const foundRow = (row: ListedRow, letter: string | undefined): InboxRow => ({
  ...inboxRow(row),
  ...(letter !== undefined && { match: matchedSentence(readSubmissionAnyway(row), letter) }),
});

const shownNames = [
  ...(["arrival", "reference", "kind", "name", "email", "company", "status", "assignee", "tags", "version"] as const),
  "receivedAt",
] as const;

export const inboxRowOf = (submission: StoredSubmission, disposable: boolean): InboxRow => ({
  ...picked(submission, shownNames),
  summary: shorten(summaryOf(submission)),
  hasResume: submission.kind === "application" && submission.resume !== null,
  disposable,
});

function summaryOf(submission: StoredSubmission): string {
  if (submission.kind === "inquiry") return submission.selectedPackageIds.join(", ");
  const letter = (submission.coverLetter ?? "").slice(0, 2 * summaryLengthMax).replaceAll(/\s+/g, " ");
  return letter === "" ? submission.position : `${submission.position} – ${letter}`;
}

function shorten(text: string): string {
  const points = Array.from(text.slice(0, 2 * summaryLengthMax));
  return points.length <= summaryLengthMax ? points.join("") : `${points.slice(0, summaryLengthMax - 1).join("")}…`;
}
