// What a search compares: words in lower case, with their letters folded. The service makes the index and looks up with it,
// and the console marks with it what was found.

// Letters that Unicode does not take apart, and how people type them who do not have them.
const plainOf = new Map(
  `æae œoe ßss þth øo łl đd ðd ħh ŧt ŋn ıi ȷj ƒf ƀb ɓb ƈc ȼc ɗd ɖd ɇe əe ǥg ɠg ɨi ɉj ƙk ƚl ɲn ɵo ƥp ɍr ʂs ƭt ʈt ʉu ƴy
  ɏy ƶz ȥz ςσ ٱا ىي یي ةه ہه ەه کك`
    .split(/\s+/)
    .map((pair) => [pair.slice(0, 1), pair.slice(1)] as const),
);
const unplain = new RegExp(`[${[...plainOf.keys()].join("")}]`, "g");

// Accents, hamza, points and vowel signs of the scripts that are often written without, signs between letters that count as
// letters, and what is not seen. Marks of other scripts stay: without them it is another word.
const marks = String.raw`[[[\p{sc=Inherited}\p{sc=Arab}\p{sc=Hebr}\p{sc=Cyrl}]&&\p{M}]--[\u3099\u309A]]`;
const signs = String.raw`\u00AD\u02B9-\u02C1\u0640\u200B\u2060\uFEFF`;
const folds = new RegExp(`[${marks}${signs}]`, "gv");

/** A text in lower case with its letters folded, as a search compares it: `Łódź` is `lodz`, `أحمد` is `احمد`, `Ａ１` is `a1`. */
export function foldLetters(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  return text
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(folds, "")
    .replaceAll(unplain, (letter) => plainOf.get(letter) ?? letter)
    .normalize("NFKC");
}

// Scripts that are written without spaces. Hangul has them, but joins words freely.
const scripts = "Han Hira Kana Hang Bopo Yiii Thai Laoo Khmr Mymr Tibt Tale Talu Lana Tavt Java Bali";
const unspaced = `[${scripts.replaceAll(/(\w+) ?/g, String.raw`\p{scx=$1}`)}]`;
const anyLetter = String.raw`[\p{L}\p{N}\p{Co}]`;
const inWord = String.raw`[\p{L}\p{N}\p{Co}\p{M}]`;
const word = new RegExp(
  `(?<run>[${unspaced}&&${anyLetter}][${unspaced}&&${inWord}]*)|[${anyLetter}--${unspaced}][${inWord}--${unspaced}]*`,
  "gv",
);

/** The same where there is nothing else, in a fraction of the time. */
const asciiWord = /[a-z0-9]+/g;

/** A word of a text, or what is written without spaces in one piece. */
export interface FoldedWord {
  readonly text: string;
  /** Of a run, any part is found, of another word its beginning. */
  readonly isRun: boolean;
  /** Where it begins, in UTF-16 code units of the folded text. */
  readonly at: number;
}

// oxlint-disable-next-line no-control-regex -- all of ASCII
const isAscii = (text: string): boolean => /^[\u0000-\u007F]*$/.test(text);

/** The words of a text that {@link foldLetters} has folded: letters and digits belong to a word, all else parts it. */
export function* wordsIn(folded: string): Generator<FoldedWord> {
  for (const { 0: text, index: at, groups } of folded.matchAll(isAscii(folded) ? asciiWord : word))
    yield { text, isRun: groups?.["run"] !== undefined, at };
}

/** The words of a text of ASCII alone, which has no runs; null: it has other letters. */
export const asciiWordsIn = (folded: string): string[] | null =>
  isAscii(folded) ? (folded.match(asciiWord) ?? []) : null;

/** Letters of a word of a search that are enough to find what begins with them. Fewer would find nearly everything. */
export const beginningMin = { who: 2, letter: 4 } as const;

/** A part of a text that a search has found. */
export interface FoundPlace {
  /** In UTF-16 code units of the text. */
  readonly from: number;
  readonly to: number;
  /** Which word of the search it is, by its number. */
  readonly word: number;
}

/**
 * Where the words of a search stand in a text, in the order of the text.
 *
 * @param min so many letters of a word are enough: {@link beginningMin}
 */
export function placesOf(search: string, text: string, min: number): FoundPlace[] {
  const words = [...wordsIn(foldLetters(search))];
  const beginnings = new Set(words.filter((one) => !one.isRun && Array.from(one.text).length >= min));
  const folded = foldLetters(text);
  const found: { readonly at: number; readonly length: number; readonly word: number }[] = [];
  for (const { text: one, isRun, at } of words.length === 0 ? [] : wordsIn(folded)) {
    for (const [number, wanted] of words.entries()) {
      const { length } = wanted.text;
      if (isRun !== wanted.isRun) continue;
      if (one === wanted.text || (beginnings.has(wanted) && one.startsWith(wanted.text)))
        found.push({ at, length: one.length, word: number });
      else if (isRun)
        for (let part = one.indexOf(wanted.text); part >= 0; part = one.indexOf(wanted.text, part + length))
          found.push({ at: at + part, length, word: number });
    }
  }
  if (found.length === 0) return [];
  const lettersAt = lettersIn(text, folded);
  return found
    .map(({ at, length, word: number }) => ({
      from: lettersAt(at).from,
      to: lettersAt(at + length - 1).to,
      word: number,
    }))
    .toSorted((one, other) => one.from - other.from);
}

// What makes a folded text shorter: marks and signs that are left out, letters that join. Without them each letter has its
// place where it was, if both are as long.
const shortens = new RegExp(String.raw`[\p{M}${signs}\u1100-\u11FF\uFF9E-\uFFDC]`, "v");
/** A letter with the marks behind it. */
const cluster = /\P{M}[\p{M}\uFF9E\uFF9F]*|\p{M}+/gu;

/** Answers which letter of a text a place of the folded one belongs to. */
function lettersIn(text: string, folded: string): (at: number) => { readonly from: number; readonly to: number } {
  if (folded.length === text.length && !shortens.test(text)) return (at) => ({ from: at, to: at + 1 });
  const lengths = new Map<string, number>();
  const letters: { readonly from: number; readonly to: number }[] = [];
  for (const { 0: one, index: from } of text.matchAll(cluster)) {
    const length = lengths.get(one) ?? foldLetters(one).length;
    lengths.set(one, length);
    const letter = { from, to: from + one.length };
    for (let count = 0; count < length; count += 1) letters.push(letter);
  }
  return (at) => letters[at] ?? { from: text.length, to: text.length };
}
