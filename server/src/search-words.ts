// Words of a search and of what is searched. Accents and case do not matter. Words are split alike in both engines:
// letters and digits belong to a word, everything else parts it.
import { sentFields, textNamed } from "./field-values.ts";
import type { StoredSubmission } from "./storage/records.ts";

/** Words of one search; more are left out. */
const wordsMax = 10;

/** Longer words are cut, in the search and in what is searched. UTF-16 code units. */
const wordLengthMax = 100;

/** As you type, one letter would match nearly everything. */
const prefixLengthMin = 2;

// As SQLite's tokenizer splits: some marks belong to a word, the others and a few vowel signs part it.
const letter = String.raw`[[\p{L}\p{N}\p{Co}]--[\u19B0-\u19C0\u19C8\u19C9\u1CF2\u1CF3]]`;
const mark = String.raw`[\u0300-\u0304\u0306-\u030C\u030F\u0311\u031B\u0323-\u0328\u032D\u032E\u0330\u0331]`;
const word = new RegExp(`${letter}(?:${letter}|${mark})*`, "gv");

/** The words that an operator searches for, in lower case. */
export const searchedWords = (text: string): string[] =>
  (text.slice(0, 1_000).normalize("NFC").toLowerCase().match(word) ?? [])
    .map((one) => one.slice(0, wordLengthMax).toWellFormed())
    .slice(0, wordsMax);

/** A search as it is typed: every word but the last is whole. */
export interface TypedWords {
  readonly whole: readonly string[];
  readonly beginning: string;
}

/** Null: too short. */
export function typedWords(text: string): TypedWords | null {
  const words = searchedWords(text);
  const beginning = words.at(-1);
  if (beginning === undefined) return null;
  const whole = words.slice(0, -1);
  return whole.length === 0 && Array.from(beginning).length < prefixLengthMin ? null : { whole, beginning };
}

export const folded = (text: string): string =>
  text
    .normalize("NFD")
    .replaceAll(/[\u0300-\u036F]/g, "")
    .normalize("NFC");

/** The different words of a text, for an engine that is given words. */
export function indexedWords(texts: readonly (string | null)[]): string[] {
  const words = new Set<string>();
  for (const text of texts) {
    for (const [found] of (text ?? "").normalize("NFC").toLowerCase().matchAll(word)) {
      const one = folded(found).slice(0, wordLengthMax).toWellFormed();
      if (one !== "") words.add(one);
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
