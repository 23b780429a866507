// Makes spam a new submission.
import { capMs, receiptsMax } from "../rules/mails.ts";
import type { References } from "../rules/references.ts";
import type { Store } from "../store.ts";
import type { Connections, Session, Statement } from "./connections.ts";
import { suppressedInSql } from "./suppressed.ts";

/** Held until the end of the transaction, so that a submission is released once. */
const lockSubmission: Statement<{ arrival: number; status: string }> = {
  name: "lock-submission",
  text: "SELECT arrival, status FROM submission WHERE day_number = $1 AND kind = $2 FOR UPDATE",
};

const release: Statement<object> = {
  name: "release",
  text: `
    WITH released AS (
      UPDATE submission SET status = 'new', version = version + 1,
        receipt_at = CASE WHEN (SELECT id FROM mail WHERE mail.submission = $1 AND mail.kind = submission.kind || '-receipt' LIMIT 1) IS NULL
          AND NOT ${suppressedInSql("submission.email_key")}
          AND (SELECT count(*) FROM (
            SELECT FROM submission AS earlier WHERE earlier.email_key = submission.email_key
              AND earlier.receipt_at > $2::bigint - ${capMs} LIMIT ${receiptsMax}) AS receipts) < ${receiptsMax}
        THEN $2 ELSE receipt_at END
      WHERE arrival = $1 RETURNING arrival, kind, receipt_at
    )
    INSERT INTO mail (kind, submission, status, created_at, due_at)
    SELECT kind || suffix, arrival, 'queued', $2, $2
    FROM released, (VALUES ('-receipt'), ('-notice')) AS suffix (suffix)
    WHERE (suffix = '-notice' OR receipt_at = $2)
      AND (SELECT id FROM mail WHERE mail.submission = $1 AND mail.kind = released.kind || suffix LIMIT 1) IS NULL
    RETURNING id`,
};

type Released = Awaited<ReturnType<Store["release"]>>;

export const releaseSpam = (
  connections: Connections,
  references: References,
  reference: string,
  now: number,
): Promise<Released> => connections.transaction((session) => releaseWithin(session, references, reference, now));

/** Releases within a transaction of the caller. */
export async function releaseWithin(
  session: Session,
  references: References,
  reference: string,
  now: number,
): Promise<Released> {
  const named = references.parse(reference);
  if (named === null) return { result: "unknown" };
  const [row] = await session.all(lockSubmission, [named.dayNumber, named.kind]);
  if (row === undefined) return { result: "unknown" };
  if (row.status !== "spam") return { result: "not-spam" };
  return { result: "released", mails: (await session.all(release, [row.arrival, now])).length };
}
