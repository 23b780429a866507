// One clock for several processes, which a test puts forward for all of them at once. It runs as fast as time does.
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock, Stopwatch } from "../../../server/src/clock.ts";

export class SharedClock implements Clock, Stopwatch {
  readonly #file: string;
  #aheadMs = 0;

  /** @param folder where it keeps its time; the processes read it there */
  constructor(folder: string) {
    this.#file = join(folder, "clock");
    this.advance(0);
  }

  get env(): Readonly<Record<string, string>> {
    return { CLOCK_FILE: this.#file };
  }

  now(): number {
    return Date.now() + this.#aheadMs;
  }

  elapsed(): number {
    return this.now();
  }

  advance(ms: number): void {
    this.#aheadMs += ms;
    // No process may read half of it.
    writeFileSync(`${this.#file}.new`, String(this.#aheadMs));
    renameSync(`${this.#file}.new`, this.#file);
  }
}
