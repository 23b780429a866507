// The counters of the days, from which references are made. A process reserves them in blocks, so that the commits of all
// processes do not wait for one row.
import { referencesPerDay } from "@submissions/shared/reference";
import type { SubmissionKind } from "../records.ts";
import type { Connections } from "./connections.ts";
import { prepared } from "./statement.ts";

/** Most numbers of a block. What a process has not used when it ends is lost. */
const blockMax = 1_000;
/** Days and kinds whose numbers are kept: a few around midnight. */
const daysKept = 8;

// A thousandth of what is left, so that blocks are small when little is left and all numbers are issued, but at least what
// is needed now. The last block may reach beyond the end of the day's numbers.
const reserve = prepared<{ taken: number; size: number }>(`
  WITH block AS MATERIALIZED (
    SELECT greatest($3::integer, least(${blockMax}, (${referencesPerDay} - coalesce(
      (SELECT taken FROM day_counter WHERE kind = $1 AND day = $2), 0)) / 1000)) AS size
  )
  INSERT INTO day_counter AS counter (kind, day, taken) SELECT $1::text, $2::integer, size FROM block
  ON CONFLICT (kind, day) DO UPDATE SET taken = counter.taken + excluded.taken
    WHERE counter.taken < ${referencesPerDay}
  RETURNING taken, (SELECT size FROM block) AS size`);

export class DayNumbers {
  readonly #connections: Connections;
  /** Numbers that are reserved and not used, in the order in which they are used. */
  readonly #free = new Map<string, number[]>();

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  /** The next numbers of a day (yyyymmdd) and kind; fewer than asked for when all of the day are taken. */
  async take(kind: SubmissionKind, day: number, count: number): Promise<number[]> {
    const free = this.#freeOf(kind, day);
    while (free.length < count) {
      const block = await this.#reserve(kind, day, count - free.length);
      if (block.length === 0) break;
      free.push(...block);
    }
    return free.splice(0, count);
  }

  /** Uses none of the numbers that are reserved so far. */
  forget(kind: SubmissionKind, day: number): void {
    this.#free.delete(nameOf(kind, day));
  }

  /** A number that was taken and with which nothing was stored. */
  giveBack(kind: SubmissionKind, day: number, number: number): void {
    this.#freeOf(kind, day).unshift(number);
  }

  async #reserve(kind: SubmissionKind, day: number, count: number): Promise<number[]> {
    // Repeatable: a block whose answer was lost is only never used.
    const [reserved] = await this.#connections.write(reserve, [kind, day, count], { repeatable: true });
    if (reserved === undefined) return [];
    const first = reserved.taken - reserved.size;
    const end = Math.min(reserved.taken, referencesPerDay);
    return Array.from({ length: Math.max(0, end - first) }, (_, index) => first + index);
  }

  #freeOf(kind: SubmissionKind, day: number): number[] {
    const name = nameOf(kind, day);
    const known = this.#free.get(name);
    if (known !== undefined) return known;
    if (this.#free.size >= daysKept) this.#free.delete(this.#free.keys().next().value ?? "");
    const free: number[] = [];
    this.#free.set(name, free);
    return free;
  }
}

const nameOf = (kind: SubmissionKind, day: number): string => `${kind} ${day}`;
