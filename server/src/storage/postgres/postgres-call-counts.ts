// Counts of calls, shared by all processes. They have connections of their own, so that a client who is turned away costs
// submissions nothing, and are given up quickly: a gate that cannot count with the others counts alone.
import { Pool } from "pg";
import type { CallCounts } from "../call-counts.ts";
import { StorageUnavailable } from "../store.ts";
import { addressOf } from "./address.ts";
import { applicationName, columnTypes } from "./connections.ts";

const connectionsMax = 2;
/** A caller waits for this before anything of his request is looked at. */
const answerMs = 1_000;
/** After a failure nobody waits for the database again for this long. */
const restMs = 1_000;

/** Opens no connection yet. */
export function openPostgresCallCounts(url: string): CallCounts {
  const pool = new Pool({
    ...addressOf(url),
    application_name: applicationName,
    max: connectionsMax,
    connectionTimeoutMillis: answerMs,
    query_timeout: answerMs,
    types: columnTypes,
  });
  // As for the store's connections: without listeners a server that restarts would end the process.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  let restUntil = -Infinity;
  return {
    async query({ values = [], ...query }) {
      if (performance.now() < restUntil)
        throw new StorageUnavailable("The counts of calls could not be reached lately.");
      try {
        return await pool.query({ ...query, values: [...values] });
      } catch (error) {
        // Whatever it was, the gate has another way to count.
        restUntil = performance.now() + restMs;
        throw new StorageUnavailable("The counts of calls cannot be reached.", { cause: error });
      }
    },
    [Symbol.asyncDispose]: () => pool.end(),
  };
}
