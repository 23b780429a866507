// Counts of calls, shared by all processes. They have connections of their own, so that a client that is refused costs
// submissions nothing, and are given up quickly: a gate that cannot count with the others counts alone. Calls that come in
// while others are being counted share the next statement: each alone would cost several times what storing costs.
import type { CallCount, CallCountEvents, CallCounts, CountedCalls } from "../call-counts.ts";
import { CommitQueue } from "../commit-queue.ts";
import { forgottenAtOnce } from "../sql/housekeeping.ts";
import { StorageUnavailable } from "../store.ts";
import { addressOf } from "./address.ts";
import { Connections, type Limits } from "./connections.ts";
import { prepared, rowsAs, type Statement, valuesOf } from "./statement.ts";

const connectionsMax = 2;
/** A caller waits this long for a connection, and half as long for the answer, before anything of the request is looked at. */
const answerMs = 1_000;
/** The server gives up first: a query that only we give up would keep its connection, and the next one take another. */
const limits: Limits = { statementMs: 400, lockMs: 400, idleMs: 1_000 };
/** After a failure the database is left alone for this long; then one caller finds out whether it is back. */
const restMs = 1_000;

/** Calls in one statement. */
const batchMax = 1_000;

type CountRow = CallCount & { readonly key: string };

const askedColumns = { key: "text", calls: "integer", windowMs: "integer" } as const;

// Every process takes the rows in the same order, so that two of them cannot wait for each other.
const count = prepared<CountRow>(`
  INSERT INTO call_count AS counted (key, points, expire)
  SELECT key, calls, $4::bigint + windowMs FROM ${rowsAs("asked", askedColumns)} ORDER BY key
  ON CONFLICT (key) DO UPDATE SET
    points = CASE WHEN counted.expire <= $4 THEN 0 ELSE counted.points END + excluded.points,
    expire = CASE WHEN counted.expire <= $4 THEN excluded.expire ELSE counted.expire END
  RETURNING key, points AS calls, expire AS "endsAt"`);

const forgetCounts = prepared<object>(`
  DELETE FROM call_count WHERE ctid = ANY (ARRAY (
    SELECT ctid FROM call_count WHERE expire <= $1 ORDER BY expire LIMIT ${forgottenAtOnce} FOR UPDATE SKIP LOCKED
  )) RETURNING 1`);

const away = () => new StorageUnavailable("The counts of calls are away.");

/** Opens no connection yet. */
export function openPostgresCallCounts(url: string, events: CallCountEvents): CallCounts {
  const connections = new Connections(addressOf(url), { max: connectionsMax, connectMs: answerMs, answerMs });
  let alone = false;
  let askAgainAt = -Infinity;

  const counted = async <Row>(statement: Statement<Row>, values: readonly unknown[]): Promise<Row[]> => {
    const now = performance.now();
    if (alone && now < askAgainAt) throw away();
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

  const queue = new CommitQueue<CountedCalls, CallCount>({
    batchMax,
    async commit(asked) {
      return shareOut(asked, await counted(count, [...valuesOf(askedColumns, gather(asked)), Date.now()]));
    },
  });

  return {
    async count(calls) {
      // At once: in the queue it would wait for the one caller who finds out.
      if (alone && performance.now() < askAgainAt) throw away();
      return queue.run(calls);
    },
    async forget(before) {
      while ((await counted(forgetCounts, [before])).length === forgottenAtOnce);
    },
    async [Symbol.asyncDispose]() {
      await queue.close();
      await connections[Symbol.asyncDispose]();
    },
  };
}

/** One entry for each client: a statement changes a row once. */
function gather(asked: readonly CountedCalls[]): readonly CountedCalls[] {
  const windows = new Map<string, CountedCalls>();
  for (const one of asked) {
    const { calls = 0 } = windows.get(one.key) ?? {};
    windows.set(one.key, { ...one, calls: calls + one.calls });
  }
  return [...windows.values()];
}

/** Tells each caller its place among those of the same client: the last one has the sum. */
function shareOut(asked: readonly CountedCalls[], rows: readonly CountRow[]): readonly CallCount[] {
  const windows = new Map(rows.map(({ key, calls, endsAt }) => [key, { calls, endsAt }]));
  const answers: CallCount[] = [];
  for (const { key, calls } of asked.toReversed()) {
    const window = windows.get(key);
    if (window === undefined) throw new Error("A client was not counted.");
    answers.push({ ...window });
    window.calls -= calls;
  }
  return answers.toReversed();
}
