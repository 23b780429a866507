// Counts of calls, shared by all processes. They have connections of their own, so that a client that is refused costs
// submissions nothing, and are given up quickly: a gate that cannot count with the others counts alone.
import { type CallCountEvents, type CallCounts, callCountTable } from "../call-counts.ts";
import { forgottenAtOnce } from "../rules/retention.ts";
import { StorageUnavailable } from "../store.ts";
import { addressOf } from "./address.ts";
import { Connections, type Limits } from "./connections.ts";
import { forgetBatch } from "./housekeeping.ts";
import type { Statement } from "./session.ts";

const connectionsMax = 2;
/** A caller waits for this, and as long for a connection, before anything of the request is looked at. */
const answerMs = 1_000;
/** The server gives up first: a query that only we give up would keep its connection, and the next one take another. */
const limits: Limits = { statementMs: 800, lockMs: 800, idleMs: 1_000 };
/** After a failure the database is left alone for this long; then one caller finds out whether it is back. */
const restMs = 1_000;

const forgetCounts = forgetBatch(callCountTable, "expire");

/** Opens no connection yet. */
export function openPostgresCallCounts(url: string, events: CallCountEvents): CallCounts {
  const connections = new Connections(addressOf(url), { max: connectionsMax, connectMs: answerMs, answerMs });
  let alone = false;
  let askAgainAt = -Infinity;

  const counted = async <Row>(statement: Statement<Row>, values: readonly unknown[]): Promise<Row[]> => {
    const now = performance.now();
    if (alone && now < askAgainAt) throw new StorageUnavailable("The counts of calls are away.");
    // No other caller asks meanwhile.
    askAgainAt = now + answerMs + restMs;
    try {
      // Repeatable: at worst a call counts twice. No second try, because a caller waits.
      const rows = await connections.write(statement, values, { limits, repeatable: true, deadline: now });
      if (alone) events.together();
      alone = false;
      return rows;
    } catch (error) {
      // Whatever it was, the gate has another way to count.
      askAgainAt = performance.now() + restMs;
      if (!alone) events.alone(error);
      alone = true;
      throw new StorageUnavailable("The counts of calls cannot be reached.", { cause: error });
    }
  };

  return {
    async query(asked) {
      const rows = await counted<object>(asked, asked.values ?? []);
      return { rows, rowCount: rows.length };
    },
    async forget(before) {
      let batch: { readonly forgotten: number } | undefined;
      do [batch] = await counted(forgetCounts, [before]);
      while (batch?.forgotten === forgottenAtOnce);
    },
    [Symbol.asyncDispose]: () => connections.close(),
  };
}
