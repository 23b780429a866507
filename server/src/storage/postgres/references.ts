// Which references of a part of a day are free, in PostgreSQL.
import { type ReferenceKind } from "@submissions/shared/reference";
import { sql } from "kysely";
import type { Queries } from "../queries/compile.ts";
import { countTaken, type Range, tableOf } from "../references.ts";
import type { Connections } from "./connections.ts";

export async function findFreeWithin(
  { connections, queries }: { readonly connections: Connections; readonly queries: Queries },
  kind: ReferenceKind,
  day: string,
  range: Range,
  limit: number,
): Promise<number[]> {
  const { first, last } = range;
  const [taken] = await connections.read(countTaken(queries, kind, day, range));
  if (taken?.count === last - first + 1) return [];
  const free = sql<{ number: number }>`
    SELECT number FROM generate_series(${first}::integer, ${last}::integer) AS number
    WHERE NOT EXISTS (
      SELECT 1 FROM ${sql.table(tableOf(kind))} WHERE reference = ${`${kind}-${day}-`} || lpad(number::text, 6, '0')
    )
    LIMIT ${limit}`;
  return (await connections.read(free.compile(queries))).map((row) => row.number);
}
