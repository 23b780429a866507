// The corpora of the acceptance tests: cases with the verdict expected, from the fixtures or from CORPORA_DIR.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const corpora = process.env["CORPORA_DIR"] ?? fileURLToPath(new URL("../fixtures/corpora", import.meta.url));

export interface Case {
  readonly id: string;
  readonly expect: "accept" | "refuse" | "either";
  /** The statuses that a refusal may have, if the case says so. */
  readonly status?: readonly number[] | null;
  readonly reason: string;
}

/** The cases of an index; none when the corpus lacks it. */
export function cases<T extends Case>(index: string): T[] {
  const file = join(corpora, index);
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as T);
}

export const corpusBytes = (file: string): Buffer<ArrayBuffer> => Buffer.from(readFileSync(join(corpora, file)));

/** What is wrong with an answer to a case, or undefined. */
export function complaint(one: Case, status: number): string | undefined {
  const accepted = status === 200;
  const refused = status >= 400 && status < 500;
  const told = `${one.id} (${one.reason.slice(0, 80)}): expected ${one.expect}, got ${status}`;
  if (!accepted && !refused) return told;
  if (one.expect === "accept" && !accepted) return told;
  if (one.expect === "refuse" && (!refused || (one.status && !one.status.includes(status)))) return told;
  return undefined;
}
