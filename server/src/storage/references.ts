// Goes through the references of a day that is nearly full, where drawing at random hits only taken ones: in blocks, so
// that a million rows are neither loaded nor counted in one go. Knows no engine.
import { randomInt } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { formatReference, type ReferenceKind, referencesPerDay } from "@submissions/shared/reference";
import type { Queries } from "./queries/compile.ts";

/** Numbers looked at before other work gets its turn: a full block is counted in well under a millisecond. */
const blockNumbers = 10_000;

/** Numbers from `first` to `last`, both included. */
export interface Range {
  readonly first: number;
  readonly last: number;
}

/**
 * At most `count` free numbers, upwards from a random one and round the end.
 *
 * @param findWithin answers at most `limit` free numbers of a range
 */
export async function findFreeNumbers(
  count: number,
  findWithin: (range: Range, limit: number) => Promise<readonly number[]>,
): Promise<number[]> {
  const free: number[] = [];
  for (const range of rangesFrom(randomInt(referencesPerDay))) {
    const missing = count - free.length;
    if (missing <= 0) break;
    free.push(...(await findWithin(range, missing)));
    await nextTurn();
  }
  return free;
}

/** The whole day in blocks, from `start` to its end and from its beginning to before `start`. */
function* rangesFrom(start: number): Generator<Range> {
  yield* blocks(start, referencesPerDay);
  yield* blocks(0, start);
}

function* blocks(from: number, before: number): Generator<Range> {
  for (let first = from; first < before; first += blockNumbers) {
    yield { first, last: Math.min(first + blockNumbers, before) - 1 };
  }
}

/** The table that holds the references of a kind. */
export const tableOf = (kind: ReferenceKind): "inquiry" | "application" => (kind === "INQ" ? "inquiry" : "application");

/** Counts the references of a range that are taken. They are of one length: their order as text is that of their numbers. */
export const countTaken = (queries: Queries, kind: ReferenceKind, day: string, { first, last }: Range) =>
  queries
    .selectFrom(tableOf(kind))
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("reference", ">=", formatReference(kind, day, first))
    .where("reference", "<=", formatReference(kind, day, last))
    .compile();
