// Removes rows that have had their time, in batches.
import { type CompiledQuery, sql } from "kysely";
import type { Queries } from "../queries/compile.ts";
import { batchRows, inBatches } from "./batches.ts";
import type { Connections } from "./connections.ts";

/** Where a row says what its time is. */
const times = { idempotency: "created_at", spent_challenge: "expires_at", call_count: "expire" } as const;

type ForgottenTable = keyof typeof times;

/** Forgets rows whose time was at or before an instant. Answers how many. */
export const forgetRows = (
  connections: Connections,
  queries: Queries,
  table: ForgottenTable,
  before: number,
): Promise<number> => {
  const batch = forgetBatch(queries, table, before);
  return inBatches(() => connections.transaction((session) => session.run(batch)));
};

/** Rows that somebody else is removing or renewing at this moment are left to them. */
export function forgetBatch(queries: Queries, table: ForgottenTable, before: number): CompiledQuery {
  const name = sql.table(table);
  const time = sql.ref(times[table]);
  return sql`DELETE FROM ${name} WHERE ctid = ANY (ARRAY (
    SELECT ctid FROM ${name} WHERE ${time} <= ${before}::bigint ORDER BY ${time} LIMIT ${batchRows} FOR UPDATE SKIP LOCKED
  ))`.compile(queries);
}
