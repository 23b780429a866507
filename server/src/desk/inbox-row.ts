// A submission as a row of a list, with the sentence that a search for words has found.
import type { InboxRow } from "@submissions/shared/console";
import { beginningMin, foldLetters, placesOf, wordsIn } from "@submissions/shared/search-words";
import { letterOf, namedFields, picked, textNamed, valueOf } from "../field-values.ts";
import { ofKinds, serverKindOf } from "../kinds.ts";
import type { DeskStore } from "../storage/desk-store.ts";
import type { StoredSubmission } from "../storage/records.ts";
import { letterTexts } from "../search-words.ts";
import { type CatalogueTitles, packageTitle } from "./package-title.ts";

const summaryLengthMax = 200;
/** Of the letter: more does not fit into a row. */
const beginningLengthMax = 120;

const named = [
  ...(["arrival", "reference", "kind", "name", "email", "receivedAt", "status", "stage", "assignee", "tags"] as const),
  ...(["version", "disposable", "waitedFor", "lastReplyAt", "lastAnswerAt", "snoozedUntil"] as const),
] as const;

export const inboxRow = (submission: StoredSubmission, packageTitles: CatalogueTitles): InboxRow => ({
  ...picked(submission, named),
  company: textNamed(submission, "company"),
  facts: factsOf(submission),
  summary: shorten(summaryOf(submission, packageTitles)),
  beginning: shorten(inOneLine(letterOf(submission) ?? ""), beginningLengthMax),
  hasResume: submission.resume !== null,
});

const summaryFields = ofKinds((kind) =>
  serverKindOf(kind).summary.flatMap((shown) => namedFields[kind].filter(({ name }) => name === shown)),
);

function factsOf(submission: StoredSubmission): Readonly<Record<string, string>> {
  const facts = serverKindOf(submission.kind).facts.map((name) => [name, textNamed(submission, name)] as const);
  return Object.fromEntries(facts.flatMap(([name, text]) => (text === null ? [] : [[name, shorten(text)]])));
}

function summaryOf(submission: StoredSubmission, packageTitles: CatalogueTitles): string {
  const words = summaryFields[submission.kind].map((field) => {
    const value = valueOf(submission, field) ?? "";
    if (typeof value === "string") return inOneLine(value);
    return value.map((id) => packageTitle(id, packageTitles)).join("; ");
  });
  return words.filter((one) => one !== "").join(" – ");
}

const inOneLine = (text: string): string => text.slice(0, 2 * summaryLengthMax).replaceAll(/\s+/g, " ");

function shorten(text: string, lengthMax = summaryLengthMax): string {
  const points = Array.from(text.slice(0, 2 * lengthMax));
  return points.length <= lengthMax ? points.join("") : `${points.slice(0, lengthMax - 1).join("")}…`;
}

/** What is looked through of replies, notes and answers for the rows of one page, in UTF-16 code units. */
const writtenLengthMax = 200_000;
/** So much is looked through for one piece: some milliseconds. */
const pieceLength = 10_000;

/**
 * The rows that a search for words has found, each with the sentence around the first word, of the text with the most of them. In
 * pieces, to be paced.
 */
export async function* foundRows(
  desk: Pick<DeskStore, "textsAbout">,
  submissions: readonly StoredSubmission[],
  packageTitles: CatalogueTitles,
  search: string,
): AsyncGenerator<readonly InboxRow[]> {
  const wanted = [...wordsIn(foldLetters(search))].length;
  let left = writtenLengthMax;
  let looked = 0;
  let rows: InboxRow[] = [];
  for (const submission of submissions) {
    let [most, match] = [0, ""];
    const look = (text: string) => {
      const places = placesOf(search, text, beginningMin.letter);
      const found = new Set(places.map(({ word }) => word)).size;
      if (found > most) [most, match] = [found, sentenceAround(text, places[0]!.from)];
      looked += text.length;
    };
    for (const text of letterTexts(submission)) if (text !== null) look(text);
    if (most < wanted && left > 0) {
      for (const text of await desk.textsAbout(submission.arrival)) {
        left -= text.length;
        if (left > 0) look(text);
      }
    }
    rows.push({ ...inboxRow(submission, packageTitles), match });
    if (looked >= pieceLength) {
      yield rows;
      [rows, looked] = [[], 0];
    }
  }
  yield rows;
}

const sentenceLengthMax = 200;
/** What is shown before the word, where a sentence is too long. */
const lengthBefore = 60;

function sentenceAround(text: string, place: number): string {
  const earliest = Math.max(0, place - sentenceLengthMax);
  const before = [...text.slice(earliest, place).matchAll(/[.!?]\s|[。！？\n]/g)].at(-1);
  const begin = before === undefined ? earliest : earliest + before.index + 1;
  const behind = /[.!?](?=\s|$)|[。！？\n]/.exec(text.slice(place, place + sentenceLengthMax));
  const end = behind === null ? text.length : place + behind.index + 1;
  const from = end - begin > sentenceLengthMax ? Math.max(begin, place - lengthBefore) : begin;
  const to = Math.min(end, from + sentenceLengthMax - 2);
  return `${from > begin ? "…" : ""}${text.slice(from, to).trim().toWellFormed()}${to < end ? "…" : ""}`;
}
