// The overview, and how the newsletter has grown.
import type { Overview } from "@submissions/shared/console";
import type { DeskStore } from "../desk-store.ts";
import type { SubmissionKind } from "../records.ts";
import { dayMs, shownDay, startOfDay, storedDay } from "../rules/days.ts";
import { mailKindsOf } from "../rules/inbox-filter.ts";
import { inboxRow, listedColumns, type ListedRow } from "../rules/inbox-row.ts";
import { type Engine, together } from "./engine.ts";

/** Today among them. */
const shownDays = 30;

/** Submissions that wait longest. */
const waitingMax = 5;

/** Responses that the median is taken of; the latest. */
const responsesMax = 5_000;

function prepareStatements({ prepare, indexedBy, among }: Engine) {
  const received = (kind: SubmissionKind) => `
    (SELECT count(*) FROM submission ${indexedBy("submission_received")}
      WHERE kind = '${kind}' AND ${among(`'${kind}'`, "$3")} AND status <> 'spam'
        AND received_at >= day.at AND received_at < day.at + ${dayMs})`;
  const active = `FROM subscriber ${indexedBy("subscriber_status")} WHERE status = 'active'`;
  return {
    /** Of a scope, day by day from one to another. */
    days: prepare<{ at: number; inquiries: number; applications: number }>(`
      WITH RECURSIVE day (at) AS (
        SELECT CAST($1 AS BIGINT) UNION ALL SELECT at + ${dayMs} FROM day WHERE at < CAST($2 AS BIGINT))
      SELECT at, ${received("inquiry")} AS inquiries, ${received("application")} AS applications FROM day`),
    responses: prepare<{ took: number }>(`
      SELECT responded_at - received_at AS took FROM submission ${indexedBy("submission_responded")}
      WHERE responded_at > $1 AND ${among("kind", "$2")} ORDER BY responded_at DESC LIMIT ${responsesMax}`),
    waiting: prepare<ListedRow>(`
      SELECT ${listedColumns} FROM submission ${indexedBy("submission_status")}
      WHERE status = 'new' AND ${among("kind", "$1")} ORDER BY arrival LIMIT ${waitingMax}`),
    mails: prepare<Overview["mails"]>(`
      SELECT count(*) FILTER (WHERE status = 'queued') AS queued, count(*) FILTER (WHERE status = 'sent') AS sent,
        count(*) FILTER (WHERE status = 'failed') AS failed, count(*) FILTER (WHERE status = 'in-doubt') AS "inDoubt"
      FROM mail ${indexedBy("mail_created")} WHERE created_at >= $1 AND ${among("kind", "$2")}`),
    active: prepare<{ active: number }>(`SELECT count(*) AS active ${active}`),
    growth: prepare<{ day: number; active: number }>(`
      SELECT day, counted AS active FROM day_count WHERE day >= $1 AND kind = 'subscriber' ORDER BY day`),
    /** Days that were counted although they were not over: a clock was ahead. */
    forgetFuture: prepare("DELETE FROM day_count WHERE day >= $1"),
    // Does not count again.
    countDay: prepare(`
      INSERT INTO day_count (day, kind, counted)
      SELECT CAST($1 AS INTEGER), 'subscriber', count(*) ${active}
        AND NOT EXISTS (SELECT 1 FROM day_count WHERE day = $1 AND kind = 'subscriber')
      ON CONFLICT (day, kind) DO NOTHING`),
  };
}

export function makeOverview(engine: Engine) {
  const { read, transaction } = engine;
  const statements = prepareStatements(engine);

  return {
    async overview(scope, now) {
      const [since, today] = [now - shownDays * dayMs, startOfDay(now)];
      const [days, responses, waiting, [mails]] = await Promise.all([
        read(statements.days(today - (shownDays - 1) * dayMs, today, scope.kinds)),
        read(statements.responses(since, scope.kinds)),
        read(statements.waiting(scope.kinds)),
        read(statements.mails(since, mailKindsOf(scope))),
      ]);
      return {
        days: days.map(({ at, ...counts }) => ({ day: shownDay(at), ...counts })),
        firstResponseMs: median(responses.map(({ took }) => took)),
        waiting: waiting.map(inboxRow),
        mails: mails ?? { queued: 0, sent: 0, failed: 0, inDoubt: 0 },
      };
    },

    async subscriberGrowth(now, days) {
      const first = storedDay(startOfDay(now) - (days - 1) * dayMs);
      const [past, [counted]] = await Promise.all([read(statements.growth(first)), read(statements.active())]);
      const shown = past.map(({ day, active }) => ({
        day: String(day).replace(/^(....)(..)(..)$/, "$1-$2-$3"),
        active,
      }));
      return [...shown, { day: shownDay(now), active: counted?.active ?? 0 }];
    },

    async countSubscribers(now) {
      const { forgetFuture, countDay } = statements;
      const both = () => together([forgetFuture(storedDay(now)), countDay(storedDay(now - dayMs))]);
      await transaction(both, { repeatable: true });
    },
  } satisfies Partial<DeskStore>;
}

/** The middle of some numbers; null without any. */
function median(numbers: readonly number[]): number | null {
  const sorted = numbers.toSorted((a, b) => a - b);
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.ceil((sorted.length - 1) / 2)]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}
