// A submission as a row of a list, with the sentence that a search has found.
import type { InboxRow } from "@submissions/shared/console";
import type { StoredSubmission } from "../records.ts";
import { picked } from "./columns.ts";
import { readSubmissionAnyway, submissionColumns, type SubmissionRow } from "./submission-row.ts";
import { folded, letterTexts, searchedWords } from "./words.ts";

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

const sentenceLengthMax = 200;
/** What is shown before the word, where a sentence is too long. */
const lengthBefore = 60;

/** The sentence around the first word that was found, of the text with the most of them; empty: none has any. */
export function matchedSentence(submission: StoredSubmission, search: string): string {
  const words = searchedWords(search).map(folded);
  let most = 0;
  let sentence = "";
  for (const text of letterTexts(submission)) {
    if (text === null) continue;
    const whole = text.normalize("NFC");
    // As long as the text itself but for a few rare letters, so that places in one are places in the other.
    const plain = folded(whole.toLowerCase());
    const places = words.map((word) => placeOf(word, plain)).filter((place) => place >= 0);
    if (places.length <= most) continue;
    most = places.length;
    sentence = sentenceAround(whole, Math.min(...places));
  }
  return sentence;
}

const isInWord = (sign: string | undefined): boolean => sign !== undefined && /[\p{L}\p{N}]/u.test(sign);

/** Where a whole word is; -1: nowhere. */
function placeOf(word: string, text: string): number {
  let place = text.indexOf(word);
  while (place >= 0 && (isInWord(text[place - 1]) || isInWord(text[place + word.length])))
    place = text.indexOf(word, place + 1);
  return place;
}

function sentenceAround(text: string, place: number): string {
  const earliest = Math.max(0, place - sentenceLengthMax);
  const before = [...text.slice(earliest, place).matchAll(/[.!?]\s|\n/g)].at(-1);
  const begin = before === undefined ? earliest : earliest + before.index + 1;
  const behind = /[.!?](?=\s|$)|\n/.exec(text.slice(place, place + sentenceLengthMax));
  const end = behind === null ? text.length : place + behind.index + 1;
  const from = end - begin > sentenceLengthMax ? Math.max(begin, place - lengthBefore) : begin;
  const to = Math.min(end, from + sentenceLengthMax - 2);
  return `${from > begin ? "…" : ""}${text.slice(from, to).trim().toWellFormed()}${to < end ? "…" : ""}`;
}
