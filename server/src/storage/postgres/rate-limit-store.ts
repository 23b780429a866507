// Counts of calls, shared by all processes. They have connections of their own, so that a client that is refused costs
// submissions nothing, and are given up quickly: a gate that cannot count with the others counts alone. Calls that come in
// while others are being counted share the next statement.
import { CommitQueue } from "../commit-queue.ts";
import type { CallCount, CountedCalls, RateLimitEvents, RateLimitStore } from "../rate-limit-store.ts";
import { forgottenAtOnce } from "../sql/housekeeping.ts";
import { StorageUnavailable } from "../store.ts";
import { addressOf } from "./address.ts";
import { Connections, type Limits } from "./connections.ts";
import { prepared, rowsAs, type Statement } from "./statement.ts";

const connectionsMax = 2;
/** A caller waits this long for a connection, and half as long for the answer, before anything of the request is looked at. */
const answerMs = 1_000;
/** The server gives up first: a query that only we give up would keep its connection, and the next one take another. */
const limits: Limits = { statementMs: 400, lockMs: 400, idleMs: 1_000 };
/** After a failure the database is left alone for this long; then one caller finds out whether it is back. */
const restMs = 1_000;
/** A window that ends by so much later than one that begins now was begun by a clock that was ahead, and is over. */
const aheadMs = 60_000;
const batchMax = 1_000;

// Every process takes the rows in the same order, so that two of them cannot wait for each other.
const count = prepared<CallCount & { readonly key: string }>(`
  INSERT INTO call_count AS counted (key, points, expire)
  SELECT key, calls, $2::bigint + "windowMs"
  FROM ${rowsAs("asked", { key: "text", calls: "integer", '"windowMs"': "integer" })} ORDER BY key
  ON CONFLICT (key) DO UPDATE SET
    points = CASE WHEN counted.expire > $2 AND counted.expire <= excluded.expire + ${aheadMs}
      THEN counted.points ELSE 0 END + excluded.points,
    expire = CASE WHEN counted.expire > $2 AND counted.expire <= excluded.expire + ${aheadMs}
      THEN counted.expire ELSE excluded.expire END
  RETURNING key, points AS calls, expire AS "endsAt"`);

const forgetCounts = prepared<object>(`
  DELETE FROM call_count WHERE ctid = ANY (ARRAY (
    SELECT ctid FROM call_count WHERE expire <= $1 ORDER BY expire LIMIT ${forgottenAtOnce} FOR UPDATE SKIP LOCKED
  )) RETURNING 1`);

/** Opens no connection yet. */
export function openPostgresRateLimits(url: string, events: RateLimitEvents): RateLimitStore {
  const connections = new Connections(addressOf(url), { max: connectionsMax, connectMs: answerMs, answerMs });
  let alone = false;
  let askAgainAt = -Infinity;

  function refuseWhileAway(): void {
    if (alone && performance.now() < askAgainAt) throw new StorageUnavailable("The counts of calls are away.");
  }

  async function ask<Row>(statement: Statement<Row>, values: readonly unknown[]): Promise<Row[]> {
    refuseWhileAway();
    const now = performance.now();
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
  }

  const queue = new CommitQueue<CountedCalls, CallCount>({
    batchMax,
    async commit(asked) {
      // One row for each client: a statement changes a row once.
      const clients = new Map<string, { readonly key: string; calls: number; readonly windowMs: number }>();
      for (const { key, calls, windowMs } of asked) {
        clients.getOrInsertComputed(key, () => ({ key, calls: 0, windowMs })).calls += calls;
      }
      const rows = await ask(count, [JSON.stringify([...clients.values()]), Date.now()]);
      const counted = new Map(rows.map((row) => [row.key, row]));
      // Each caller has a place among those of its client: the last one has the sum.
      return asked.map(({ key, calls }) => {
        const [client, row] = [clients.get(key), counted.get(key)];
        if (client === undefined || row === undefined) throw new Error("A client was not counted.");
        client.calls -= calls;
        return { calls: row.calls - client.calls, endsAt: row.endsAt };
      });
    },
  });

  return {
    async count(calls) {
      // At once: in the queue it would wait for the one caller who finds out.
      refuseWhileAway();
      return queue.run(calls);
    },
    async forget(before) {
      while ((await ask(forgetCounts, [before])).length === forgottenAtOnce);
    },
    async [Symbol.asyncDispose]() {
      await queue.close();
      await connections[Symbol.asyncDispose]();
    },
  };
}
