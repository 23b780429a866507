// Which references of a part of a day are free, in SQLite.
import { type ReferenceKind } from "@submissions/shared/reference";
import { sql } from "kysely";
import { countTaken, type Range, tableOf } from "../references.ts";
import type { Engine } from "./queries.ts";

export function findFreeWithin(
  { connection, queries }: Engine,
  kind: ReferenceKind,
  day: string,
  range: Range,
  limit: number,
): number[] {
  const { first, last } = range;
  if (connection.all(countTaken(queries, kind, day, range))[0]?.count === last - first + 1) return [];
  const free = sql<{ number: number }>`
    WITH RECURSIVE candidate (number) AS (
      SELECT ${first} UNION ALL SELECT number + 1 FROM candidate WHERE number < ${last}
    )
    SELECT number FROM candidate
    WHERE NOT EXISTS (
      SELECT 1 FROM ${sql.table(tableOf(kind))} WHERE reference = ${`${kind}-${day}-`} || format('%06d', number)
    )
    LIMIT ${limit}`;
  return connection.all(free.compile(queries)).map((row) => row.number);
}
