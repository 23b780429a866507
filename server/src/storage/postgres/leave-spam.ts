// Does for submissions that leave spam what was not done when they were stored: their mails and their announcement.
import { quoted } from "../rules/inbox-filter.ts";
import { capMs, receiptsMax } from "../rules/mails.ts";
import { statusActions } from "../rules/triage.ts";
import { type Steps, together } from "../sql/engine.ts";
import { lockReceiptsOf, suppressedInSql } from "./addresses.ts";
import { announcing } from "./announcements.ts";
import { query } from "./engine.ts";
import { prepared } from "./statement.ts";

const lacksMail = (submission: string, kind: string) =>
  `(SELECT id FROM mail WHERE mail.submission = ${submission} AND mail.kind = ${kind} LIMIT 1) IS NULL`;

// A submission whose status was changed before was no spam at some time, and had its mails then. They may be forgotten.
const leave = prepared<{ mails: number }>(`
  WITH former AS MATERIALIZED (
    SELECT arrival, kind, email_key, (
      SELECT id FROM audit WHERE subject = reference AND action IN (${quoted(statusActions)}) LIMIT 1
    ) IS NULL AS unmailed
    FROM submission WHERE arrival = $1
  ),
  receipted AS (
    UPDATE submission SET receipt_at = $2
    FROM former WHERE submission.arrival = former.arrival AND unmailed
      AND ${lacksMail("former.arrival", "former.kind || '-receipt'")}
      AND NOT ${suppressedInSql("former.email_key")}
      AND (SELECT count(*) FROM (
        SELECT FROM submission AS earlier WHERE earlier.email_key = former.email_key
          AND earlier.receipt_at > $2::bigint - ${capMs} LIMIT ${receiptsMax}) AS receipts) < ${receiptsMax}
    RETURNING submission.arrival
  ),
  mails AS (
    INSERT INTO mail (kind, submission, status, created_at, due_at)
    SELECT kind || suffix, arrival, 'queued', $2, $2
    FROM former, (VALUES ('-receipt'), ('-notice')) AS suffix (suffix)
    WHERE unmailed AND ${lacksMail("arrival", "kind || suffix")}
      AND (suffix = '-notice' OR EXISTS (SELECT FROM receipted))
    RETURNING id
  ),
  ${announcing("former", "$2::bigint")}
  SELECT count(*) AS mails FROM mails`);

/** @param arrivals whose rows are locked */
export function* leaveSpam(arrivals: readonly number[], now: number): Steps<number> {
  // Sent together: a process that stops in between would hold the locks, and with them the submissions of others.
  const [, ...left] = yield* together([
    query(lockReceiptsOf, arrivals),
    ...arrivals.map((arrival) => query(leave, arrival, now)),
  ]);
  return left.flat().reduce((sum, { mails }) => sum + mails, 0);
}
