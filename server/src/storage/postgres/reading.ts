// Reads all submissions or subscribers in the order of their arrival.
import { setTimeout as pause } from "node:timers/promises";
import { readPages } from "../pages.ts";
import type { StoredSubmission, SubmissionKind } from "../records.ts";
import { readSubmissionAnyway, submissionColumns, type SubmissionRow } from "../rules/submission-row.ts";
import { storedSubscriber, subscriberColumns, type SubscriberRow } from "../rules/subscriber-row.ts";
import type { ReadFrom, Store } from "../store.ts";
import type { Connections } from "./connections.ts";
import { prepared, type Statement } from "./statement.ts";

/**
 * How long a reader waits for transactions that may still store rows before those that it sees. Ours end sooner, by their
 * limits; what is still open then belongs to other programs.
 */
const openMs = 10_000;
const openPauseMs = 20;

/** A page looks at so many rows, wanted or not, and answers at least one row: the last number that it looked at. */
type PageRow<Row> = Row & { readonly last: number | null; readonly looked: number; readonly arrival: number | null };

const page = <Row>(table: string, wanted: string, selected: string) =>
  prepared<PageRow<Row>>(`
    WITH page AS MATERIALIZED (SELECT * FROM ${table} WHERE arrival > $1 AND arrival <= $2 ORDER BY arrival LIMIT $3)
    SELECT looked.*, ${selected} FROM (SELECT max(arrival) AS last, count(*) AS looked FROM page) AS looked
    LEFT JOIN page ON ${wanted} ORDER BY arrival`);

const submissionPage = page<SubmissionRow>(
  "submission",
  "received_at >= $4 AND kind = $5",
  submissionColumns.join(", "),
);
const subscriberPage = page<SubscriberRow>("subscriber", "subscribed_at >= $4", subscriberColumns);

export const makeReading = (connections: Connections) =>
  ({
    async *readSubmissions<Kind extends SubmissionKind>(kind: Kind, from: ReadFrom) {
      for await (const rows of readAll(connections, lastSubmission, submissionPage, from, [kind])) {
        yield rows.map(readSubmissionAnyway) as Extract<StoredSubmission, { kind: Kind }>[];
      }
    },

    async *readSubscribers(from) {
      for await (const rows of readAll(connections, lastSubscriber, subscriberPage, from)) {
        yield rows.map(storedSubscriber);
      }
    },
  }) satisfies Partial<Store>;

async function* readAll<Row>(
  connections: Connections,
  lastArrival: Statement<{ last: number }>,
  pages: Statement<PageRow<Row>>,
  { after = 0, since = 0 }: ReadFrom,
  more: readonly unknown[] = [],
): AsyncGenerator<readonly PageRow<Row>[], void, undefined> {
  const to = await lastComplete(connections, lastArrival);
  yield* readPages(after, async (position, limit) => {
    const rows = await connections.all(pages, [position, to, limit, since, ...more]);
    const { last = null, looked = 0 } = rows[0] ?? {};
    return { rows: rows.filter(({ arrival }) => arrival !== null), last: looked < limit ? null : last };
  });
}

export const lastSubmission = prepared<{ last: number }>("SELECT coalesce(max(arrival), 0) AS last FROM submission");

const lastSubscriber = prepared<{ last: number }>("SELECT coalesce(max(arrival), 0) AS last FROM subscriber");

// A replica gives no ids. There, those that were given on the primary are at most this far ahead of the latest that ended.
const nextTransaction = prepared<{ id: string }>(`
  SELECT CASE WHEN pg_is_in_recovery()
    THEN pg_snapshot_xmax(pg_current_snapshot())::text::bigint + 100
    ELSE pg_current_xact_id()::text::bigint END::text AS id`);

const haveEnded = prepared<{ ended: boolean }>("SELECT pg_snapshot_xmin(pg_current_snapshot()) >= $1::xid8 AS ended");

/**
 * The last arrival number below which no row can appear any more. Numbers are drawn before their transactions commit, so
 * a lower one may become visible after a higher one; a reader that continues behind the higher one would miss it. A
 * transaction gets its id before it draws a number: once all ids that were given by now have ended, those that drew a
 * lower number have, too.
 */
export async function lastComplete(
  connections: Connections,
  lastArrival: Statement<{ last: number }>,
): Promise<number> {
  const [row] = await connections.all(lastArrival);
  const [next] = await connections.all(nextTransaction);
  const giveUpAt = performance.now() + openMs;
  while (performance.now() < giveUpAt) {
    const [open] = await connections.all(haveEnded, [next?.id]);
    if (open?.ended === true) break;
    await pause(openPauseMs);
  }
  return row?.last ?? 0;
}
