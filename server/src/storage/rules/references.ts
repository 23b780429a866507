// References are labels that people quote. They must be unique and must not show how many submissions came, so they are
// neither counted nor drawn: a keyed permutation turns the day's counter into six digits, and back.
import { hkdfSync } from "node:crypto";
import { kindOf, kindOfReference, type SubmissionKind } from "@submissions/shared/kinds";
import { formatReference, referenceShape, referencesPerDay } from "@submissions/shared/reference";

/** A six-digit number is two halves of three digits. */
const halfSize = 1_000;
const rounds = 6;
/** A new day makes a table of 12 KB in about 2 ms. */
const tablesKept = 16;

/** What is stored and indexed instead of the reference: yyyymmdd * 1,000,000 + the day's counter, which begins at 0. */
export const dayNumber = (day: number, counter: number): number => day * referencesPerDay + counter;

export class References {
  readonly #key: string;
  readonly #tables = new Map<string, Uint16Array>();

  /** @param key `store.reference_key` */
  constructor(key: string) {
    this.#key = key;
  }

  /** @throws RangeError when the counter is not 0 to 999,999 */
  format(kind: SubmissionKind, day: number, counter: number): string {
    return formatReference(kindOf(kind).prefix, day, this.#permute(kind, day, counter));
  }

  /** Null when the text has not the form of a reference. */
  parse(reference: string): { readonly kind: SubmissionKind; readonly dayNumber: number } | null {
    const [, , day, digits] = referenceShape.exec(reference) ?? [];
    const kind = kindOfReference(reference);
    if (kind === undefined || day === undefined) return null;
    return { kind, dayNumber: dayNumber(Number(day), this.#invert(kind, Number(day), Number(digits))) };
  }

  // A Feistel network: each round adds a keyed function of one half to the other. Any such function makes a permutation,
  // and running the rounds backwards inverts it.
  #permute(kind: SubmissionKind, day: number, counter: number): number {
    if (!Number.isInteger(counter) || counter < 0 || counter >= referencesPerDay) {
      throw new RangeError(`A day's counter is 0 to 999,999, not ${counter}.`);
    }
    const table = this.#table(kind, day);
    let left = Math.floor(counter / halfSize);
    let right = counter % halfSize;
    for (let from = 0; from < table.length; from += halfSize) {
      [left, right] = [right, (left + (table[from + right] ?? 0)) % halfSize];
    }
    return left * halfSize + right;
  }

  #invert(kind: SubmissionKind, day: number, number: number): number {
    const table = this.#table(kind, day);
    let left = Math.floor(number / halfSize);
    let right = number % halfSize;
    for (let from = table.length - halfSize; from >= 0; from -= halfSize) {
      [left, right] = [(right + halfSize - (table[from + left] ?? 0)) % halfSize, left];
    }
    return left * halfSize + right;
  }

  /** The round functions of a day and kind, one after the other. */
  #table(kind: SubmissionKind, day: number): Uint16Array {
    const name = `${kindOf(kind).prefix} ${day}`;
    const known = this.#tables.get(name);
    if (known !== undefined) return known;
    const table = new Uint16Array(rounds * halfSize);
    for (let round = 0; round < rounds; round += 1) {
      // 32 bits for each value: the remainder is then even to one part in four million.
      const bytes = new DataView(hkdfSync("sha256", this.#key, "", `${name} ${round}`, halfSize * 4));
      for (let i = 0; i < halfSize; i += 1) table[round * halfSize + i] = bytes.getUint32(i * 4) % halfSize;
    }
    if (this.#tables.size >= tablesKept) this.#tables.delete(this.#tables.keys().next().value ?? "");
    this.#tables.set(name, table);
    return table;
  }
}
