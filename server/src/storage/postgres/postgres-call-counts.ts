// Counts of calls, shared by all processes. They have connections of their own, so that a client who is turned away costs
// submissions nothing, and are given up quickly: a gate that cannot count with the others counts alone.
import { escapeLiteral, Pool, type QueryResult } from "pg";
import { type CallCountEvents, type CallCounts, callCountTable } from "../call-counts.ts";
import { createQueries } from "../queries/compile.ts";
import { StorageUnavailable } from "../store.ts";
import { addressOf } from "./address.ts";
import { inBatches } from "./batches.ts";
import { applicationName, columnTypes } from "./connections.ts";
import { forgetBatch } from "./forgetting.ts";
import { postgresDialect } from "./queries.ts";

const connectionsMax = 2;
/** A caller waits for this, and as long for a connection, before anything of his request is looked at. */
const answerMs = 1_000;
/** The server gives up first: a query that nobody waits for would keep its connection, and the next one take another. */
const statementMs = 800;
/** After a failure the database is left alone for this long; then one caller finds out whether it is back. */
const restMs = 1_000;
/** As that of the store's connections: making one costs the caller who needs it a few exchanges. */
const idleMs = 30_000;

/** Opens no connection yet. */
export function openPostgresCallCounts(url: string, events: CallCountEvents): CallCounts {
  const pool = new Pool({
    ...addressOf(url),
    application_name: applicationName,
    max: connectionsMax,
    connectionTimeoutMillis: answerMs,
    query_timeout: answerMs,
    idleTimeoutMillis: idleMs,
    keepAlive: true,
    types: columnTypes,
  });
  // As for the store's connections: without listeners a server that restarts would end the process.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  let alone = false;
  let askAgainAt = -Infinity;

  const counted = async (text: string, values: readonly unknown[]) => {
    if (alone && performance.now() < askAgainAt) throw new StorageUnavailable("The counts of calls are away.");
    // Nobody else asks meanwhile.
    askAgainAt = performance.now() + answerMs + restMs;
    try {
      const result = await ask(pool, text, values);
      if (alone) events.together();
      alone = false;
      return result;
    } catch (error) {
      // Whatever it was, the gate has another way to count.
      askAgainAt = performance.now() + restMs;
      if (!alone) events.alone(error);
      alone = true;
      throw new StorageUnavailable("The counts of calls cannot be reached.", { cause: error });
    }
  };

  return {
    query: ({ text, values = [] }) => counted(text, values),
    async forget(before) {
      const { sql, parameters } = forgetBatch(createQueries(postgresDialect), callCountTable, before);
      await inBatches(async () => (await counted(sql, parameters)).rowCount ?? 0);
    },
    [Symbol.asyncDispose]: () => pool.end(),
  };
}

/**
 * Asks with the limit in the same message, as it must not stay behind with a connection that a pooler lends to others. Such a
 * message has no place for values of its own, so they are written into it.
 */
async function ask(pool: Pool, text: string, values: readonly unknown[]): Promise<QueryResult> {
  const query = text.replace(/\$(\d+)/g, (_whole, number: string) => literal(values[Number(number) - 1]));
  const answers: unknown = await pool.query(`SET LOCAL statement_timeout = ${statementMs}; ${query}`);
  return (answers as readonly [QueryResult, QueryResult])[1];
}

const literal = (value: unknown): string => (typeof value === "number" ? String(value) : escapeLiteral(String(value)));
