// Which passwords operators may set. What people who guess passwords try first is refused.
import { readFileSync } from "node:fs";

const lengthMin = 12;
/** Hashing takes as long for a long one, and no person types more. */
export const passwordLengthMax = 256;
/** Characters that must remain once everything that can be guessed is taken out. */
const unguessableMin = 8;
/** Shorter runs stand in many words. */
const runLengthMin = 4;
const wordLengthMin = 4;

const rows = "abcdefghijklmnopqrstuvwxyz 01234567890 qwertyuiop qwertzuiop azertyuiop asdfghjkl zxcvbnm".split(" ");
const columns = "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol qazwsxedcrfvtgbyhnujmikolp qweasdzxc".split(" ");
const runs = [...rows, ...columns].flatMap((row) => [row, Array.from(row).toReversed().join("")]);

/** What is wrong with a password; null: nothing. @param known what any guesser knows: the address, the product's name */
export function passwordProblem(password: string, known: readonly string[]): string | null {
  if (Array.from(password).length < lengthMin) return `Use at least ${lengthMin} characters.`;
  if (password.length > passwordLengthMax) return `Use at most ${passwordLengthMax} characters.`;
  // One character can become 18 of them: U+FDFA.
  const lower = password.normalize("NFKC").toLowerCase();
  if (lower.length > passwordLengthMax) return `Use at most ${passwordLengthMax} characters.`;
  const common = commonPasswords();
  if (common.has(lower) || common.has(lower.replace(/^[^a-z]+|[^a-z]+$/g, ""))) return "This password is too common.";
  const rest = wordsOf(known).reduce((text, word) => text.replaceAll(word, ""), lower);
  if (Array.from(rest).length < unguessableMin) return "Do not make it of your address or of the name of this service.";
  if (unguessable(rest) < unguessableMin) return "Use fewer repetitions and neighbouring keys.";
  return null;
}

function wordsOf(known: readonly string[]): readonly string[] {
  const words = known.flatMap((text) => {
    const lower = text.toLowerCase();
    return [lower, ...lower.split("@"), ...lower.split(/[^\p{L}\p{N}]+/u)];
  });
  return [...new Set(words)].filter(({ length }) => length >= wordLengthMin).toSorted((a, b) => b.length - a.length);
}

/** How many characters are left when runs of neighbours and repetitions count as one. */
function unguessable(text: string): number {
  const single = text.replace(/^(.+?)\1+$/su, "$1").replaceAll(/(.)\1+/gsu, "$1");
  let count = 0;
  for (let at = 0; at < single.length; count += 1) at += Math.max(1, runAt(single, at));
  return count;
}

/** The length of the run of neighbouring keys, digits or letters that begins here; 0: there is none. */
function runAt(text: string, at: number): number {
  let longest = 0;
  for (const run of runs) {
    const start = run.indexOf(text.slice(at, at + runLengthMin));
    if (start < 0 || at + runLengthMin > text.length) continue;
    let length = runLengthMin;
    while (at + length < text.length && text[at + length] === run[start + length]) length += 1;
    longest = Math.max(longest, length);
  }
  return longest;
}

function commonPasswords(): ReadonlySet<string> {
  const text = readFileSync(new URL("common-passwords.txt", import.meta.url), "utf8");
  return new Set(text.replaceAll(/^#.*$/gm, "").match(/\S+/g));
}
