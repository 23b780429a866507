// Words of a search and of what is searched, for engines that know no letters: both are given the same words.
import { asciiWordsIn, beginningMin, foldLetters, wordsIn, type FoldedWord } from "@submissions/shared/search-words";
import { sentFields, textNamed } from "./field-values.ts";
import type { StoredSubmission } from "./storage/records.ts";

/** Words of one search; more are left out. */
const wordsMax = 10;

/** Longer words are cut, in the search and in what is searched. UTF-16 code units. */
const wordLengthMax = 100;

/** Of a run in a search; what begins with so many letters has hardly another end. */
const runLengthMax = 20;

/** Of one submission: SQLite takes 2 µs for each, and nothing may hold up others for 50 ms. */
const indexedMax = 20_000;
/** Of one submission, in UTF-16 code units: folding takes 1 ms for 10,000. Answers may go on without an end. */
const readMax = 150_000;
/** Of one submission, in UTF-16 code units: PostgreSQL takes 1 MiB. */
const indexedLengthMax = 250_000;

const cut = (word: string): string => word.slice(0, wordLengthMax).toWellFormed();

/** Any part of a run is found by its pairs of letters, and one letter by itself. */
function piecesOf({ text, isRun }: FoldedWord, hasSingle: boolean): readonly string[] {
  if (!isRun) return [cut(text)];
  const points = Array.from(text);
  const pairs = points.slice(1).map((point, at) => points[at]! + point);
  return hasSingle || pairs.length === 0 ? [...points, ...pairs] : pairs;
}

/** In most texts no word is a run: a list of plain texts is made in a third of the time. */
const piecesIn = (folded: string): Iterable<string> =>
  asciiWordsIn(folded)?.map(cut) ?? wordsIn(folded).flatMap((word) => piecesOf(word, true));

const wordsOfSearch = (text: string): FoldedWord[] =>
  [...wordsIn(foldLetters(text.slice(0, 1_000)))].slice(0, wordsMax);

/** What a search looks up. */
export interface TypedWords {
  /** Pieces of runs, and words with too few letters for {@link beginnings}. */
  readonly whole: readonly string[];
  readonly beginnings: readonly string[];
}

/** A search in everything that a person wrote. Null: it has no words. */
export function letterWords(text: string): TypedWords | null {
  const words = wordsOfSearch(text);
  return words.length === 0 ? null : begun(words, beginningMin.letter);
}

/** A search as it is typed. Null: too short. */
export function typedWords(text: string): TypedWords | null {
  const words = wordsOfSearch(text);
  const [first] = words;
  const isShort = words.length === 1 && first?.isRun === false && Array.from(first.text).length < beginningMin.who;
  return first === undefined || isShort ? null : begun(words, beginningMin.who, words.at(-1));
}

/**
 * @param min letters of a word that are enough to find those that begin with it
 * @param last the word that is being typed, which may have fewer
 */
function begun(words: readonly FoldedWord[], min: number, last?: FoldedWord): TypedWords {
  const isBeginning = (one: FoldedWord) => !one.isRun && (one === last || Array.from(one.text).length >= min);
  const others = words.filter((one) => !isBeginning(one));
  return {
    whole: [...new Set(others.flatMap((word) => piecesOf(word, false).slice(0, runLengthMax)))],
    beginnings: [...new Set(words.filter(isBeginning).map(({ text }) => cut(text)))],
  };
}

/** The different words and pieces of texts, as the index has them. What exceeds its limits is not found. */
export function indexedWords(texts: readonly (string | null)[]): string[] {
  const words = new Set<string>();
  let [length, left] = [0, readMax];
  for (const text of texts) {
    const part = (text ?? "").slice(0, left);
    left -= part.length;
    for (const piece of piecesIn(foldLetters(part))) {
      if (words.has(piece)) continue;
      length += piece.length;
      if (length > indexedLengthMax || words.size === indexedMax) return [...words];
      words.add(piece);
    }
  }
  return [...words];
}

/** What a search as it is typed looks at. */
export const whoTexts = (submission: StoredSubmission): (string | null)[] => [
  submission.name,
  submission.email,
  textNamed(submission, "company"),
];

/** Everything that a person wrote. */
export const letterTexts = (submission: StoredSubmission): (string | null)[] => [
  ...Object.values(sentFields(submission)).flat(),
  ...Object.values(submission.more ?? {}),
];
