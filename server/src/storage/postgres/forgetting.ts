// Removes rows that have had their time, a batch in each transaction: however many have piled up, no transaction takes longer
// than it may, and nobody waits for more than a batch.
import { type CompiledQuery, sql } from "kysely";
import type { Queries } from "../queries/compile.ts";
import type { Connections } from "./connections.ts";

const batchRows = 10_000;

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
  return untilNoneIsLeft(() => connections.transaction((session) => session.run(batch)));
};

/** Removes batches until one is not full, and answers how many rows that were. */
export async function untilNoneIsLeft(removeBatch: () => Promise<number>): Promise<number> {
  let all = 0;
  for (;;) {
    const removed = await removeBatch();
    all += removed;
    if (removed < batchRows) return all;
  }
}

/** Rows that somebody else is removing or renewing at this moment are left to them. */
export function forgetBatch(queries: Queries, table: ForgottenTable, before: number): CompiledQuery {
  const name = sql.table(table);
  const time = sql.ref(times[table]);
  return sql`DELETE FROM ${name} WHERE ctid = ANY (ARRAY (
    SELECT ctid FROM ${name} WHERE ${time} <= ${before}::bigint ORDER BY ${time} LIMIT ${batchRows} FOR UPDATE SKIP LOCKED
  ))`.compile(queries);
}
