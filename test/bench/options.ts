// The command line of the bench.
import { parseArgs } from "node:util";

export interface BenchOptions {
  readonly names: readonly string[];
  readonly rounds: number;
  readonly roundMs: number;
  /** Where results are written to. */
  readonly out: string;
  /** Of the soak. */
  readonly minutes: number;
  /** The largest table of the growth. */
  readonly rows: number;
}

const flags = {
  rounds: { type: "string", default: "3" },
  ms: { type: "string", default: "1000" },
  out: { type: "string", default: "bench-results" },
  minutes: { type: "string", default: "30" },
  rows: { type: "string", default: "1000000" },
} as const;

/** @throws Error for a flag that is unknown or no number */
export function readOptions(words: readonly string[]): BenchOptions {
  const { values, positionals } = parseArgs({ args: [...words], options: flags, allowPositionals: true });
  const number = (name: "rounds" | "ms" | "minutes" | "rows") => {
    const value = Number(values[name]);
    if (!(value > 0)) throw new Error(`--${name} needs a number above 0.`);
    return value;
  };
  return {
    names: positionals,
    rounds: number("rounds"),
    roundMs: number("ms"),
    out: values.out,
    minutes: number("minutes"),
    rows: number("rows"),
  };
}
