// The sentence of a submission that a search has found.
import type { StoredSubmission } from "../storage/records.ts";
import { folded, letterTexts, searchedWords } from "../search-words.ts";

const lengthMax = 200;
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
  const earliest = Math.max(0, place - lengthMax);
  const before = [...text.slice(earliest, place).matchAll(/[.!?]\s|\n/g)].at(-1);
  const begin = before === undefined ? earliest : earliest + before.index + 1;
  const behind = /[.!?](?=\s|$)|\n/.exec(text.slice(place, place + lengthMax));
  const end = behind === null ? text.length : place + behind.index + 1;
  const from = end - begin > lengthMax ? Math.max(begin, place - lengthBefore) : begin;
  const to = Math.min(end, from + lengthMax - 2);
  return `${from > begin ? "…" : ""}${text.slice(from, to).trim().toWellFormed()}${to < end ? "…" : ""}`;
}
