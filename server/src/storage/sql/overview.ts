// The overview. Past days were counted before; only what came since is counted when it is asked for.
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Overview } from "@submissions/shared/console";
import type { DeskStore, Scope } from "../desk-store.ts";
import type { SubmissionKind } from "../records.ts";
import { dayMs, shownDay, startOfDay, storedDay } from "../rules/days.ts";
import { mailKindsOf } from "../rules/inbox-filter.ts";
import { inboxRow, listedColumns, type ListedRow } from "../rules/inbox-row.ts";
import { type Engine, type Query, together } from "./engine.ts";

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
    earliest: prepare<{ at: number | null }>(`
      SELECT min(at) AS at FROM (
        ${(["inquiry", "application"] as const)
          .map(
            (kind) => `SELECT min(received_at) AS at FROM submission ${indexedBy("submission_received")}
              WHERE kind = '${kind}' AND status <> 'spam'`,
          )
          .join(" UNION ALL ")}) AS earliest`),
    /** Days that were counted although they were not over: a clock was ahead. */
    forgetFuture: prepare("DELETE FROM day_count WHERE day >= $1"),
    countKind: prepare<{ count: number }>(`
      SELECT count(*) AS count FROM submission ${indexedBy("submission_received")}
      WHERE kind = $1 AND received_at >= $2 AND received_at < $3 AND status <> 'spam'`),
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
    /** Mails of some kinds from one instant to another. */
    countMails: prepare<Overview["mails"]>(`
      SELECT count(*) FILTER (WHERE status = 'queued') AS queued, count(*) FILTER (WHERE status = 'sent') AS sent,
        count(*) FILTER (WHERE status = 'failed') AS failed, count(*) FILTER (WHERE status = 'in-doubt') AS "inDoubt"
      FROM mail ${indexedBy("mail_created")} WHERE created_at >= $1 AND created_at < $2 AND ${among("kind", "$3")}`),
  };
}

export function makeOverview(engine: Engine) {
  const { read, write, transaction } = engine;
  const statements = prepareStatements(engine);

  const find = async <Row>(query: Query<Row>): Promise<Row | undefined> => (await read(query))[0];
  const countActive = async () => (await find(statements.countActive()))?.count ?? 0;

  /** Submissions of some kinds on the day that begins at an instant. */
  async function countDay(at: number, kinds: readonly SubmissionKind[]): Promise<DayCounts> {
    const counts: DayCounts = {};
    for (const kind of kinds) counts[kind] = (await find(statements.countKind(kind, at, at + dayMs)))?.count ?? 0;
    return counts;
  }

  async function daysOf({ kinds }: Scope, now: number): Promise<Overview["days"]> {
    const today = startOfDay(now);
    const known = await read(statements.counted(firstShown(now, shownDays)));
    const lastKnown = known.findLast(({ kind, day }) => kind !== "subscriber" && day < storedDay(today))?.day ?? 0;
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
    const counts = { queued: 0, sent: 0, failed: 0, inDoubt: 0 };
    // On SQLite a count waits for nothing: one of all days would keep requests from being served.
    for (let day = 0; day < shownDays; day += 1) {
      const from = since + day * dayMs;
      const to = day === shownDays - 1 ? Number.MAX_SAFE_INTEGER : from + dayMs;
      const row = await find(statements.countMails(from, to, kinds));
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
      const today = startOfDay(now);
      await write(statements.forgetFuture(storedDay(today)));
      const last = (await find(statements.lastCounted()))?.day ?? null;
      const first =
        last === null ? startOfDay((await find(statements.earliest()))?.at ?? today - dayMs) : dayAt(last) + dayMs;
      // Earlier days are not shown.
      const day = Math.max(first, today - shownDays * dayMs);
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
