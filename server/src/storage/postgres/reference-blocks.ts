// The counters of the days, from which references are made. A process reserves them in blocks, so that the commits of all
// processes do not wait for one row.
import { referencesPerDay } from "@submissions/shared/reference";
import type { NumbersWanted } from "../rules/facts.ts";
import type { Connections } from "./connections.ts";
import { prepared } from "./statement.ts";

/** Most counters of a block. What a process has not used when it ends is lost. */
const blockMax = 1_000;
/** Days and kinds whose counters are kept. */
const daysKept = 64;

// A thousandth of what is left, so that blocks are small when little is left and all counters are used, but at least what
// is needed now. The last block may reach beyond the end of the day's counters.
const reserve = prepared<{ taken: number; size: number }>(`
  WITH block AS MATERIALIZED (
    SELECT greatest($3::integer, least(${blockMax}, (${referencesPerDay} - coalesce(
      (SELECT taken FROM day_counter WHERE kind = $1 AND day = $2), 0)) / 1000)) AS size
  )
  INSERT INTO day_counter AS counter (kind, day, taken) SELECT $1::text, $2::integer, size FROM block
  ON CONFLICT (kind, day) DO UPDATE SET taken = counter.taken + excluded.taken
    WHERE counter.taken < ${referencesPerDay}
  RETURNING taken, (SELECT size FROM block) AS size`);

export class ReferenceBlocks {
  readonly #connections: Connections;
  /** Counters that are reserved and not used, by the name of their day, in the order in which they are used. */
  readonly #free = new Map<string, number[]>();

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  /** The next counters; fewer than are wanted when all of a day are taken. */
  async draw(wanted: NumbersWanted["counters"]): Promise<ReadonlyMap<string, number[]>> {
    const drawn = new Map<string, number[]>();
    for (const [name, { kind, day, count }] of wanted) {
      const free = this.#free.get(name) ?? [];
      while (free.length < count) {
        // Repeatable: a block whose answer was lost is only never used.
        const values = [kind, day, count - free.length];
        const [block] = await this.#connections.write(reserve, values, { repeatable: true });
        if (block === undefined) break;
        const end = Math.min(block.taken, referencesPerDay);
        for (let next = block.taken - block.size; next < end; next += 1) free.push(next);
      }
      drawn.set(name, free.splice(0, count));
      this.#free.set(name, free);
    }
    return drawn;
  }

  /** Takes back counters with which nothing was stored. */
  giveBack(unused: ReadonlyMap<string, readonly number[]>): void {
    for (const [name, counters] of unused) this.#free.get(name)?.unshift(...counters);
    for (const name of [...this.#free.keys()].slice(0, -daysKept)) this.#free.delete(name);
  }

  /** Uses none of the counters that are reserved so far. */
  forget(): void {
    this.#free.clear();
  }
}
