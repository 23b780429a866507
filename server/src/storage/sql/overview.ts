// The overview. Past days were counted before; only what came since is counted when it is asked for.
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Overview } from "@submissions/shared/console";
import type { DeskStore, Scope } from "../desk-store.ts";
import type { SubmissionKind } from "../records.ts";
import { firstAt } from "../ranges.ts";
import { dayMs, shownDay, startOfDay, storedDay } from "../rules/days.ts";
import { mailKindsOf } from "../rules/inbox-filter.ts";
import { inboxRow, listedColumns, type ListedRow } from "../rules/inbox-row.ts";
import type { Arrivals } from "./arrivals.ts";
import { type Engine, together } from "./engine.ts";

/** Today among them. */
const shownDays = 30;

/** Submissions that wait longest. */
const waitingMax = 5;

/** Responses that the median is taken of; the latest. */
const responsesMax = 5_000;

/** A row of `day_count`. */
interface CountedDay {
  readonly day: number;
  readonly kind: SubmissionKind | "subscriber";
  readonly counted: number;
}

type DayCounts = Partial<Record<CountedDay["kind"], number>>;

function prepareStatements({ prepare, indexedBy, among }: Engine) {
  return {
    counted: prepare<CountedDay>("SELECT day, kind, counted FROM day_count WHERE day >= $1 ORDER BY day"),
    lastCounted: prepare<{ day: number | null }>("SELECT max(day) AS day FROM day_count"),
    countKind: prepare<{ count: number }>(`
      SELECT count(*) AS count FROM submission ${indexedBy("submission_kind")}
      WHERE kind = $1 AND arrival >= $2 AND arrival < $3 AND status <> 'spam'`),
    countActive: prepare<{ count: number }>(
      `SELECT count(*) AS count FROM subscriber ${indexedBy("subscriber_status")} WHERE status = 'active'`,
    ),
    storeDay: prepare(`
      INSERT INTO day_count (day, kind, counted) VALUES ($1, $2, $3)
      ON CONFLICT (day, kind) DO UPDATE SET counted = excluded.counted`),
    responses: prepare<{ took: number }>(`
      SELECT responded_at - received_at AS took FROM submission ${indexedBy("submission_responded")}
      WHERE responded_at > $1 AND ${among("kind", "$2")} ORDER BY responded_at DESC LIMIT ${responsesMax}`),
    waiting: prepare<ListedRow>(`
      SELECT ${listedColumns} FROM submission ${indexedBy("submission_status")}
      WHERE status = 'new' AND ${among("kind", "$1")} ORDER BY arrival LIMIT ${waitingMax}`),
    /** Mails of some kinds from one row to another. */
    countMails: prepare<Overview["mails"]>(`
      SELECT count(*) FILTER (WHERE status = 'queued') AS queued, count(*) FILTER (WHERE status = 'sent') AS sent,
        count(*) FILTER (WHERE status = 'failed') AS failed, count(*) FILTER (WHERE status = 'in-doubt') AS "inDoubt"
      FROM mail WHERE id >= $1 AND id < $2 AND ${among("kind", "$3")}`),
    lastMail: prepare<{ last: number }>("SELECT coalesce(max(id), 0) AS last FROM mail"),
    mailAt: prepare<{ at: number }>("SELECT created_at AS at FROM mail WHERE id >= $1 ORDER BY id LIMIT 1"),
  };
}

/** @param mailsAtOnce mails that are counted by one statement */
export function makeOverview(engine: Engine, { firstSince, timeAt }: Arrivals, mailsAtOnce: number) {
  const { read, transaction } = engine;
  const statements = prepareStatements(engine);

  const countActive = async () => (await read(statements.countActive()))[0]?.count ?? 0;

  /** Submissions of some kinds on the day that begins at an instant. */
  async function countDay(at: number, kinds: readonly SubmissionKind[]): Promise<DayCounts> {
    const [from, to] = [await firstSince(at), await firstSince(at + dayMs)];
    const counts: DayCounts = {};
    for (const kind of kinds) counts[kind] = (await read(statements.countKind(kind, from, to)))[0]?.count ?? 0;
    return counts;
  }

  async function daysOf({ kinds }: Scope, now: number): Promise<Overview["days"]> {
    const today = startOfDay(now);
    const known = await read(statements.counted(firstShown(now, shownDays)));
    const lastKnown = known.findLast(({ kind }) => kind !== "subscriber")?.day ?? 0;
    const found: { day: string; inquiries: number; applications: number }[] = [];
    for (let at = today - (shownDays - 1) * dayMs; at <= today; at += dayMs) {
      const day = storedDay(at);
      const counts = day <= lastKnown ? countsOf(known, day) : await countDay(at, kinds);
      const seen = (kind: SubmissionKind) => (kinds.includes(kind) ? (counts[kind] ?? 0) : 0);
      found.push({ day: shownDay(at), inquiries: seen("inquiry"), applications: seen("application") });
    }
    return found;
  }

  async function outcomesOfMails(since: number, kinds: readonly string[]): Promise<Overview["mails"]> {
    const last = (await read(statements.lastMail()))[0]?.last ?? 0;
    const first = await firstAt(since, last, async (id) => (await read(statements.mailAt(id)))[0]?.at ?? null);
    const counts = { queued: 0, sent: 0, failed: 0, inDoubt: 0 };
    for (let from = first; from <= last; from += mailsAtOnce) {
      const [row] = await read(statements.countMails(from, Math.min(from + mailsAtOnce, last + 1), kinds));
      for (const status of ["queued", "sent", "failed", "inDoubt"] as const) counts[status] += row?.[status] ?? 0;
      await nextTurn();
    }
    return counts;
  }

  return {
    async overview(scope, now) {
      const since = now - shownDays * dayMs;
      const [days, responses, waiting, mails] = await Promise.all([
        daysOf(scope, now),
        read(statements.responses(since, scope.kinds)),
        read(statements.waiting(scope.kinds)),
        outcomesOfMails(since, mailKindsOf(scope)),
      ]);
      return {
        days,
        firstResponseMs: median(responses.map(({ took }) => took)),
        waiting: waiting.map(inboxRow),
        mails,
      };
    },

    async subscriberGrowth(now, days) {
      const [rows, active] = await Promise.all([read(statements.counted(firstShown(now, days))), countActive()]);
      const past = rows.filter(({ kind }) => kind === "subscriber");
      return [
        ...past.map(({ day, counted }) => ({ day: shownDay(dayAt(day)), active: counted })),
        { day: shownDay(now), active },
      ];
    },

    async countNextDay(now) {
      const last = (await read(statements.lastCounted()))[0]?.day ?? null;
      const first = last === null ? ((await timeAt(0)) ?? now - dayMs) : dayAt(last) + dayMs;
      const [day, today] = [startOfDay(first), startOfDay(now)];
      if (day >= today) return false;
      const counts = await countDay(day, ["inquiry", "application"]);
      // The subscribers of an earlier day can no longer be counted.
      const isYesterday = day === today - dayMs;
      if (isYesterday) counts.subscriber = await countActive();
      const stored = Object.entries(counts).map(([kind, count]) => statements.storeDay(storedDay(day), kind, count));
      await transaction(() => together(stored), { repeatable: true });
      return !isYesterday;
    },
  } satisfies Partial<DeskStore>;
}

/** The first of the last days that are shown, as it is stored. */
const firstShown = (now: number, days: number): number => storedDay(startOfDay(now) - (days - 1) * dayMs);

/** The beginning of a stored day. */
const dayAt = (day: number): number => Date.UTC(Math.floor(day / 10_000), (Math.floor(day / 100) % 100) - 1, day % 100);

const countsOf = (known: readonly CountedDay[], day: number): DayCounts =>
  Object.fromEntries(known.filter((row) => row.day === day).map(({ kind, counted }) => [kind, counted]));

/** The middle of some numbers; null without any. */
function median(numbers: readonly number[]): number | null {
  const sorted = numbers.toSorted((a, b) => a - b);
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.ceil((sorted.length - 1) / 2)]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}
