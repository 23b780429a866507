// Numbers of the overview. Past days were counted before; only what came since is counted when it is asked for.
import type { InboxRow, Overview } from "@submissions/shared/console";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Scope } from "../desk-store.ts";
import { firstAt } from "../ranges.ts";
import type { SubmissionKind } from "../records.ts";
import { dayAt, dayMs, isSubmissionKind, median, shownDay, startOfDay, storedDay } from "../rules/days.ts";
import { mailKindsOf, quoted } from "../rules/inbox-filter.ts";
import { inboxRow, listedColumns, type ListedRow } from "../rules/inbox-row.ts";
import { growthOf, responsesMax, shownDays, waitingMax } from "../rules/overview.ts";
import { retryWhileBusy } from "./busy.ts";
import type { SqliteConnection, Statement } from "./connection.ts";
import type { DeskLists } from "./desk-lists.ts";

/** Mails that are counted in one turn: some milliseconds. */
const mailsAtOnce = 20_000;

const read = <T>(work: () => T): Promise<T> => retryWhileBusy(work);

export type DeskOverview = ReturnType<typeof prepareDeskOverview>;

export function prepareDeskOverview(connection: SqliteConnection, lists: DeskLists) {
  const counted = connection.prepare<[number], { day: number; kind: string; counted: number }>(
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
  const mailCounts = new Map<string, Statement<[number, number], { status: string; count: number }>>();

  const countDay = (kind: SubmissionKind, from: number, to: number) => countKind.get(kind, from, to)?.count ?? 0;

  async function days({ kinds }: Scope, now: number): Promise<Overview["days"]> {
    const today = startOfDay(now);
    const first = today - (shownDays - 1) * dayMs;
    const known = await read(() => counted.all(storedDay(first)));
    const lastKnown = known.reduce((last, { day, kind }) => (isSubmissionKind(kind) ? Math.max(last, day) : last), 0);
    const found: { day: string; inquiries: number; applications: number }[] = [];
    for (let at = first; at <= today; at += dayMs) {
      const day = storedDay(at);
      const numbers = { inquiry: 0, application: 0 };
      if (day <= lastKnown) {
        for (const row of known) if (row.day === day && isSubmissionKind(row.kind)) numbers[row.kind] = row.counted;
      } else {
        const [from, to] = [await lists.firstSince(at), await lists.firstSince(at + dayMs)];
        for (const kind of kinds) numbers[kind] = await read(() => countDay(kind, from, to));
      }
      const seen = (kind: SubmissionKind) => (kinds.includes(kind) ? numbers[kind] : 0);
      found.push({ day: shownDay(at), inquiries: seen("inquiry"), applications: seen("application") });
    }
    return found;
  }

  /** Outcomes of the mails that were stored in the last days, counted in ranges: there may be many. */
  async function mails(scope: Scope, since: number): Promise<Overview["mails"]> {
    const kinds = mailKindsOf(scope);
    const counts = new Map<string, number>();
    if (kinds.length > 0) {
      const text = `SELECT status, count(*) AS count FROM mail NOT INDEXED
        WHERE id >= ? AND id < ? AND kind IN (${quoted(kinds)}) GROUP BY status`;
      const statement =
        mailCounts.get(text) ?? connection.prepare<[number, number], { status: string; count: number }>(text);
      mailCounts.set(text, statement);
      const last = (await read(() => lastMail.get()))?.last ?? 0;
      const first = await firstAt(since, last, (id) => read(() => mailAt.get(id)?.at ?? null));
      for (let from = first; from <= last; from += mailsAtOnce) {
        for (const { status, count } of await read(() => statement.all(from, Math.min(from + mailsAtOnce, last + 1)))) {
          counts.set(status, (counts.get(status) ?? 0) + count);
        }
        await nextTurn();
      }
    }
    const of = (status: string) => counts.get(status) ?? 0;
    return { queued: of("queued"), sent: of("sent"), failed: of("failed"), inDoubt: of("in-doubt") };
  }

  return {
    async overview(scope: Scope, now: number): Promise<Overview> {
      const wanted = JSON.stringify(scope.kinds);
      const since = now - shownDays * dayMs;
      const waits: InboxRow[] = await read(() => waiting.all(wanted).map(inboxRow));
      const took = await read(() => responses.all(since, wanted).map((row) => row.took));
      return {
        days: await days(scope, now),
        firstResponseMs: median(took),
        waiting: waits,
        mails: await mails(scope, since),
      };
    },

    async growth(now: number, shown: number): Promise<{ day: string; active: number }[]> {
      const from = storedDay(startOfDay(now) - (shown - 1) * dayMs);
      const rows = await read(() => counted.all(from));
      const current = await read(() => active.get()?.count ?? 0);
      return growthOf(rows, now, current);
    },

    /** The beginning of the next day that is to be counted; null when all are. */
    async nextDay(now: number): Promise<number | null> {
      const last = (await read(() => lastCounted.get()))?.day ?? null;
      const first = (await read(() => firstReceived.get()))?.at ?? now - dayMs;
      const next = last === null ? startOfDay(first) : dayAt(last) + dayMs;
      return next < startOfDay(now) ? next : null;
    },

    /** Runs inside a transaction of the commit queue. */
    storeDay(at: number, from: number, to: number, isYesterday: boolean): void {
      const day = storedDay(at);
      for (const kind of ["inquiry", "application"] as const) insert.run(day, kind, countDay(kind, from, to));
      if (isYesterday) insert.run(day, "subscriber", active.get()?.count ?? 0);
    },
  };
}
