// Numbers of the overview.
import { setImmediate as nextTurn } from "node:timers/promises";
import { firstAt } from "../ranges.ts";
import type { SubmissionKind } from "../records.ts";
import { dayMs } from "../rules/days.ts";
import { quoted } from "../rules/inbox-filter.ts";
import { listedColumns, type ListedRow } from "../rules/inbox-row.ts";
import {
  type CountedDay,
  type DayCounts,
  type MailCount,
  makeOverview,
  responsesMax,
  waitingMax,
} from "../rules/overview.ts";
import { retryWhileBusy as read } from "./busy.ts";
import type { SqliteConnection } from "./connection.ts";
import type { DeskLists } from "./desk-lists.ts";
import type { RunJob } from "./jobs.ts";

/** Mails that are counted in one turn: some milliseconds. */
const mailsAtOnce = 20_000;

export function prepareDeskOverview(connection: SqliteConnection, run: RunJob, { firstSince }: DeskLists) {
  const counted = connection.prepare<[number], CountedDay>(
    "SELECT day, kind, counted FROM day_count WHERE day >= ? ORDER BY day",
  );
  const lastCounted = connection.prepare<[], { day: number | null }>("SELECT max(day) AS day FROM day_count");
  const firstReceived = connection.prepare<[], { at: number }>(
    "SELECT received_at AS at FROM submission WHERE arrival > 0 ORDER BY arrival LIMIT 1",
  );
  const countKind = connection.prepare<[SubmissionKind, number, number], { count: number }>(`
    SELECT count(*) AS count FROM submission INDEXED BY submission_kind
    WHERE kind = ? AND arrival >= ? AND arrival < ? AND status <> 'spam'`);
  const insert = connection.prepare<[number, string, number]>("INSERT OR REPLACE INTO day_count VALUES (?, ?, ?)");
  const active = connection.prepare<[], { count: number }>(
    "SELECT count(*) AS count FROM subscriber INDEXED BY subscriber_status WHERE status = 'active'",
  );
  const responses = connection.prepare<[number, string], { took: number }>(`
    SELECT responded_at - received_at AS took FROM submission INDEXED BY submission_responded
    WHERE responded_at > ? AND kind IN (SELECT value FROM json_each(?)) ORDER BY responded_at DESC LIMIT ${responsesMax}`);
  const waiting = connection.prepare<[string], ListedRow>(`
    SELECT ${listedColumns} FROM submission INDEXED BY submission_status
    WHERE status = 'new' AND kind IN (SELECT value FROM json_each(?)) ORDER BY arrival LIMIT ${waitingMax}`);
  const lastMail = connection.prepare<[], { last: number | null }>("SELECT max(id) AS last FROM mail");
  const mailAt = connection.prepare<[number], { at: number }>(
    "SELECT created_at AS at FROM mail WHERE id >= ? ORDER BY id LIMIT 1",
  );

  async function countDay(at: number, kinds: readonly SubmissionKind[]): Promise<DayCounts> {
    const [from, to] = [await firstSince(at), await firstSince(at + dayMs)];
    return read(() => Object.fromEntries(kinds.map((kind) => [kind, countKind.get(kind, from, to)?.count ?? 0])));
  }

  /** Counted in ranges: there may be many. */
  async function countMails(since: number, kinds: readonly string[]): Promise<MailCount[]> {
    if (kinds.length === 0) return [];
    const text = `SELECT status, count(*) AS count FROM mail NOT INDEXED
      WHERE id >= ? AND id < ? AND kind IN (${quoted(kinds)}) GROUP BY status`;
    const countRange = await read(() => connection.prepare<[number, number], MailCount>(text));
    const last = (await read(() => lastMail.get()))?.last ?? 0;
    const first = await firstAt(since, last, (id) => read(() => mailAt.get(id)?.at ?? null));
    const counts: MailCount[] = [];
    for (let from = first; from <= last; from += mailsAtOnce) {
      counts.push(...(await read(() => countRange.all(from, Math.min(from + mailsAtOnce, last + 1)))));
      await nextTurn();
    }
    return counts;
  }

  return makeOverview({
    counted: (day) => read(() => counted.all(day)),
    lastCounted: () => read(() => lastCounted.get()?.day ?? null),
    firstReceivedAt: () => read(() => firstReceived.get()?.at ?? null),
    countDay,
    countActive: () => read(() => active.get()?.count ?? 0),
    storeDay: (day, counts) =>
      run(() => Object.entries(counts).forEach(([kind, count]) => void insert.run(day, kind, count))),
    responses: (since, kinds) => read(() => responses.all(since, JSON.stringify(kinds)).map((row) => row.took)),
    waiting: (kinds) => read(() => waiting.all(JSON.stringify(kinds))),
    mails: countMails,
  });
}
