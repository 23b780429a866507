// A submission as a row of a list.
import type { InboxRow } from "@submissions/shared/console";
import type { StoredSubmission } from "../storage/records.ts";
import { matchedSentence } from "./matched-sentence.ts";

const summaryLengthMax = 200;

type Titles = ReadonlyMap<string, string> | null;

/** @param letter the words of a search for words: the row then has the sentence that was found */
export function inboxRow(submission: StoredSubmission, packageTitles: Titles, letter?: string): InboxRow {
  const { arrival, reference, kind, name, email, company, receivedAt } = submission;
  const { status, assignee, tags, version, disposable } = submission;
  return {
    arrival,
    reference,
    kind,
    name,
    email,
    company,
    receivedAt,
    status,
    assignee,
    tags,
    version,
    disposable,
    summary: shorten(summaryOf(submission, packageTitles)),
    hasResume: submission.kind === "application" && submission.resume !== null,
    ...(letter !== undefined && { match: matchedSentence(submission, letter) }),
  };
}

/** Packages by their titles, and what has none as it is. */
function summaryOf(submission: StoredSubmission, packageTitles: Titles): string {
  if (submission.kind === "inquiry")
    return submission.selectedPackageIds.map((id) => packageTitles?.get(id) ?? id).join("; ");
  const letter = (submission.coverLetter ?? "").slice(0, 2 * summaryLengthMax).replaceAll(/\s+/g, " ");
  return letter === "" ? submission.position : `${submission.position} – ${letter}`;
}

function shorten(text: string): string {
  const points = Array.from(text.slice(0, 2 * summaryLengthMax));
  return points.length <= summaryLengthMax ? points.join("") : `${points.slice(0, summaryLengthMax - 1).join("")}…`;
}
