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
  help: { type: "boolean", short: "h", default: false },
} as const;

/** @param known names of scenarios and parts */
export const usageOf = (known: readonly string[]): string => `Usage: npm run bench -- [NAME …] [options]

Without a name everything is measured but the parts that take long. Names:
  ${known.join("\n  ")}

Options:
  --rounds N     how often each figure is taken (3)
  --ms N         how long each time, in milliseconds (1000)
  --out FOLDER   where results are written (bench-results)
  --minutes N    how long the soak takes (30)
  --rows N       the largest table of growth, and the mails of outbox (1000000)
`;

/**
 * Null: help is asked for.
 *
 * @param known names of scenarios and parts
 * @throws Error for a flag or a name that is unknown, and for a flag that is no number
 */
export function readOptions(words: readonly string[], known: readonly string[]): BenchOptions | null {
  const { values, positionals } = parseArgs({ args: [...words], options: flags, allowPositionals: true });
  if (values.help) return null;
  const unknown = positionals.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`There is no ${unknown}. Known: ${known.join(", ")}.`);
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
