// Makes spam a new submission.
import type { TriageStatus } from "../records.ts";
import { capMs, receiptsMax } from "../rules/mails.ts";
import type { References } from "../rules/references.ts";
import type { Released } from "../desk-store.ts";
import { lockReceiptsOf } from "./addresses.ts";
import { announcing } from "./announcements.ts";
import type { Session } from "./session.ts";
import { prepared } from "./statement.ts";
import { suppressedInSql } from "./suppression.ts";

/** Whether a submission has no mail of a kind. */
const lacksMail = (submission: string, kind: string) =>
  `(SELECT id FROM mail WHERE mail.submission = ${submission} AND mail.kind = ${kind} LIMIT 1) IS NULL`;

const release = prepared<{ status: TriageStatus; mails: number }>(`
  WITH found AS MATERIALIZED (
    SELECT arrival, status FROM submission WHERE day_number = $1 AND kind = $2 FOR UPDATE
  ),
  released AS (
    UPDATE submission SET status = 'new', version = version + 1,
      receipt_at = CASE WHEN ${lacksMail("submission.arrival", "kind || '-receipt'")}
        AND NOT ${suppressedInSql("submission.email_key")}
        AND (SELECT count(*) FROM (
          SELECT FROM submission AS earlier WHERE earlier.email_key = submission.email_key
            AND earlier.receipt_at > $3::bigint - ${capMs} LIMIT ${receiptsMax}) AS receipts) < ${receiptsMax}
      THEN $3 ELSE receipt_at END
    FROM found WHERE submission.arrival = found.arrival AND found.status = 'spam'
    RETURNING submission.arrival, kind, receipt_at
  ),
  mails AS (
    INSERT INTO mail (kind, submission, status, created_at, due_at)
    SELECT kind || suffix, arrival, 'queued', $3, $3
    FROM released, (VALUES ('-receipt'), ('-notice')) AS suffix (suffix)
    WHERE (suffix = '-notice' OR receipt_at = $3) AND ${lacksMail("arrival", "released.kind || suffix")}
    RETURNING id
  ),
  ${announcing("released", "$3::bigint")}
  SELECT status, (SELECT count(*) FROM mails) AS mails FROM found`);

/** Releases within a transaction of the caller. */
export async function releaseWithin(
  session: Session,
  references: References,
  reference: string,
  now: number,
): Promise<Released> {
  const named = references.parse(reference);
  if (named === null) return { result: "unknown" };
  const at = [named.dayNumber, named.kind];
  // Sent together: a process that stops in between would hold the lock, and with it the submissions of others.
  const [, [found]] = await Promise.all([session.all(lockReceiptsOf, at), session.all(release, [...at, now])]);
  if (found === undefined) return { result: "unknown" };
  return found.status === "spam" ? { result: "released", mails: found.mails } : { result: "not-spam" };
}
