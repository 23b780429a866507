// Finds free reference numbers of a day that is nearly full, where drawing at random hits only taken ones. Works through
// the day in blocks, so that a million rows are neither loaded nor counted in one go.
import { randomInt } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { formatReference, type ReferenceKind, referencesPerDay } from "@submissions/shared/reference";
import { sql } from "kysely";
import { retryWhileBusy } from "./busy.ts";
import type { Engine } from "./queries.ts";

/** Numbers looked at before other work gets its turn: a full block is counted in well under a millisecond. */
const blockNumbers = 10_000;

/** Numbers from `first` to `last`, both included. */
interface Range {
  readonly first: number;
  readonly last: number;
}

/** At most `count` numbers that no row of the day has, upwards from a random one and round the end. */
export async function findFreeNumbers(
  engine: Engine,
  kind: ReferenceKind,
  day: string,
  count: number,
): Promise<number[]> {
  const free: number[] = [];
  for (const range of rangesFrom(randomInt(referencesPerDay))) {
    const missing = count - free.length;
    if (missing <= 0) break;
    free.push(...(await retryWhileBusy(() => findFreeWithin(engine, kind, day, range, missing))));
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

function findFreeWithin(
  { connection, queries }: Engine,
  kind: ReferenceKind,
  day: string,
  { first, last }: Range,
  limit: number,
): number[] {
  const table = kind === "INQ" ? "inquiry" : "application";
  // References are of one length, so their order as text is the order of their numbers.
  const taken = queries
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("reference", ">=", formatReference(kind, day, first))
    .where("reference", "<=", formatReference(kind, day, last));
  if (connection.all(taken.compile())[0]?.count === last - first + 1) return [];
  const free = sql<{ number: number }>`
    WITH RECURSIVE candidate (number) AS (
      SELECT ${first} UNION ALL SELECT number + 1 FROM candidate WHERE number < ${last}
    )
    SELECT number FROM candidate
    WHERE NOT EXISTS (
      SELECT 1 FROM ${sql.table(table)} WHERE reference = ${`${kind}-${day}-`} || format('%06d', number)
    )
    LIMIT ${limit}`;
  return connection.all(free.compile(queries)).map((row) => row.number);
}
