// Erases persons and outdated submissions, a batch in each transaction. What refers to a submission goes with it, its
// words in the search, too. Dead rows keep the words until VACUUM, which the server does by itself.
import { emailKey } from "@submissions/shared/fields";
import type { DeskStore } from "../desk-store.ts";
import { erasedAtOnce, retentionEntry } from "../rules/erasing.ts";
import type { Arrivals } from "../sql/arrivals.ts";
import { lockAddress } from "./addresses.ts";
import type { Connections } from "./connections.ts";
import { auditWithin } from "./desk-changes.ts";
import type { Session } from "./session.ts";
import { prepared } from "./statement.ts";
import { hashedInSql } from "./suppression.ts";

const limit = erasedAtOnce.postgres;

/** Erases the submissions of a list of arrival numbers. Keys of their resumes are kept. */
const erasing = (list: string) =>
  prepared<{ submissions: number; resumes: number; keys: readonly string[] }>(`
    WITH erased AS (
      DELETE FROM submission WHERE arrival = ANY (ARRAY (${list} ORDER BY arrival LIMIT ${limit} FOR UPDATE))
      RETURNING resume_key, email_key
    ),
    kept AS (
      INSERT INTO erased_resume SELECT resume_key FROM erased WHERE resume_key IS NOT NULL ON CONFLICT DO NOTHING
    )
    SELECT count(*) AS submissions, count(resume_key) AS resumes, array_agg(DISTINCT email_key) AS keys FROM erased`);

const ofPerson = erasing("SELECT arrival FROM submission WHERE email_key = $1");

// Arrival numbers are in the order of time, but for seconds: what is left out now is found the next day.
const outdatedOfKind = erasing(
  "SELECT arrival FROM submission WHERE kind = $1 AND arrival < $2 AND received_at < $3 AND status <> 'spam'",
);
const outdatedSpam = erasing("SELECT arrival FROM submission WHERE status = $1 AND arrival < $2 AND received_at < $3");

const eraseSubscriber = prepared("DELETE FROM subscriber WHERE email_key = $1");

/** Of suppressed addresses a hash is kept. */
const eraseSuppressions = prepared<{ reason: string | null }>(`
  WITH erased AS (DELETE FROM suppression WHERE email_key = ANY ($1::text[]) RETURNING email_key, reason, changed_at),
  kept AS (
    INSERT INTO suppression (email_key, reason, changed_at)
    SELECT ${hashedInSql("email_key")}, reason, changed_at FROM erased WHERE reason IS NOT NULL
    ON CONFLICT (email_key) DO UPDATE SET reason = excluded.reason, changed_at = excluded.changed_at
  )
  SELECT reason FROM erased`);

/** Those of some addresses that nothing is stored of any more. */
const unknownAmong = prepared<{ key: string }>(`
  SELECT key FROM unnest($1::text[]) AS key
  WHERE NOT EXISTS (SELECT FROM submission WHERE submission.email_key = key)
    AND NOT EXISTS (SELECT FROM subscriber WHERE subscriber.email_key = key)`);

const toDiscard = prepared<{ key: string }>("SELECT resume_key AS key FROM erased_resume ORDER BY resume_key LIMIT $1");

const discarded = prepared("DELETE FROM erased_resume WHERE resume_key = ANY ($1::text[])");

export const makeDeskErase = (connections: Connections, { firstSince }: Arrivals) =>
  ({
    erasePerson(email, actor) {
      const key = emailKey(email);
      return connections.transaction(async (session) => {
        await session.all(lockAddress, [key]);
        const [counts] = await session.all(ofPerson, [key]);
        const subscriptions = await session.run(eraseSubscriber, [key]);
        const suppressions = await session.all(eraseSuppressions, [[key]]);
        const { submissions = 0, resumes = 0 } = counts ?? {};
        const detail = { submissions, subscriptions, resumes };
        const erased = submissions + subscriptions + suppressions.length > 0;
        if (erased) await auditWithin(session, [{ action: "erase", subject: "person", detail }], actor);
        return { ...detail, more: submissions === limit };
      });
    },

    async eraseOutdated({ kind, before }, actor) {
      const outdated = kind === "spam" ? outdatedSpam : outdatedOfKind;
      const values = [kind, await firstSince(before), before];
      const erase = async (session: Session) => {
        const [counts] = await session.all(outdated, values);
        if (counts === undefined || counts.submissions === 0) return counts;
        const unknown = await session.all(unknownAmong, [counts.keys]);
        if (unknown.length > 0) await session.all(eraseSuppressions, [unknown.map(({ key }) => key)]);
        await auditWithin(session, [retentionEntry(kind, counts)], actor);
        return counts;
      };
      const { submissions = 0, resumes = 0 } = (await connections.transaction(erase, { repeatable: true })) ?? {};
      return { submissions, resumes, subscriptions: 0, more: submissions === limit };
    },

    resumesToDiscard: async (count) => (await connections.all(toDiscard, [count])).map(({ key }) => key),

    async forgetDiscarded(keys) {
      await connections.write(discarded, [keys], { repeatable: true });
    },
  }) satisfies Partial<DeskStore>;
