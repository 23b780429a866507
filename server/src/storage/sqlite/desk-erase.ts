// Erases persons and outdated submissions, a few in each job of the commit queue.
import { emailKey } from "@submissions/shared/fields";
import type { DeskStore } from "../desk-store.ts";
import { erasedAtOnce, hashedKey, retentionEntry } from "../rules/erasing.ts";
import type { Arrivals } from "../sql/arrivals.ts";
import { retryWhileBusy } from "./busy.ts";
import type { SqliteConnection } from "./connection.ts";
import { prepareAudit } from "./desk-changes.ts";
import type { DeskSearch } from "./desk-search.ts";
import type { RunJob } from "./jobs.ts";

export function prepareDeskErase(connection: SqliteConnection, run: RunJob, arrivals: Arrivals, search: DeskSearch) {
  interface Row {
    readonly arrival: number;
    readonly resumeKey: string | null;
    readonly key: string;
  }
  const limit = erasedAtOnce.sqlite;
  const audit = prepareAudit(connection);
  const ofPerson = connection.prepare<[string], Row>(`
    SELECT arrival, resume_key AS resumeKey, email_key AS key FROM submission INDEXED BY submission_email
    WHERE email_key = ? LIMIT ${limit}`);
  // Arrival numbers are in the order of time, but for seconds: what is left out now is found the next day.
  const outdated = (column: "kind" | "status", condition: string) =>
    connection.prepare<[string, number, number], Row>(`
      SELECT arrival, resume_key AS resumeKey, email_key AS key FROM submission INDEXED BY submission_${column}
      WHERE ${column} = ? AND arrival < ? AND received_at < ? ${condition} ORDER BY arrival LIMIT ${limit}`);
  const outdatedOfKind = outdated("kind", "AND status <> 'spam'");
  const outdatedSpam = outdated("status", "");
  const erase = connection.prepare<[number]>("DELETE FROM submission WHERE arrival = ?");
  const eraseSubscriber = connection.prepare<[string]>("DELETE FROM subscriber WHERE email_key = ?");
  const eraseSuppression = connection.prepare<[string], { reason: string | null; at: number }>(
    "DELETE FROM suppression WHERE email_key = ? RETURNING reason, changed_at AS at",
  );
  const isKnown = connection.prepare<[string], { known: number }>(`
    SELECT EXISTS (SELECT 1 FROM submission WHERE email_key = ?1)
      OR EXISTS (SELECT 1 FROM subscriber WHERE email_key = ?1) AS known`);
  const keepHash = connection.prepare<[string, string, number]>(
    "INSERT OR REPLACE INTO suppression (email_key, reason, changed_at) VALUES (?, ?, ?)",
  );
  const keepResumeKey = connection.prepare<[string]>(
    "INSERT INTO erased_resume (resume_key) VALUES (?) ON CONFLICT DO NOTHING",
  );
  const toDiscard = connection.prepare<[number], { key: string }>(
    "SELECT resume_key AS key FROM erased_resume ORDER BY resume_key LIMIT ?",
  );
  const discarded = connection.prepare<[string]>("DELETE FROM erased_resume WHERE resume_key = ?");

  /** What refers to a submission goes with it. */
  function eraseRows(rows: readonly Row[]): number {
    let resumes = 0;
    for (const { arrival, resumeKey } of rows) {
      search.remove(arrival);
      erase.run(arrival);
      if (resumeKey === null) continue;
      keepResumeKey.run(resumeKey);
      resumes += 1;
    }
    return resumes;
  }

  function eraseSuppressionOf(key: string): boolean {
    const erased = eraseSuppression.get(key);
    if (erased === undefined) return false;
    if (erased.reason !== null) keepHash.run(hashedKey(key), erased.reason, erased.at);
    return true;
  }

  return {
    erasePerson: (email, actor) =>
      run(() => {
        const key = emailKey(email);
        const rows = ofPerson.all(key);
        const resumes = eraseRows(rows);
        const subscriptions = Number(eraseSubscriber.run(key).changes);
        const suppression = eraseSuppressionOf(key);
        const detail = { submissions: rows.length, subscriptions, resumes };
        const erased = rows.length + subscriptions > 0 || suppression;
        if (erased) audit({ action: "erase", subject: "person", detail }, actor);
        return { ...detail, more: rows.length === limit };
      }),

    async eraseOutdated({ kind, before }, actor) {
      const firstKept = await arrivals.firstSince(before);
      return run(() => {
        const rows = (kind === "spam" ? outdatedSpam : outdatedOfKind).all(kind, firstKept, before);
        const resumes = eraseRows(rows);
        for (const key of new Set(rows.map((row) => row.key)))
          if (isKnown.get(key)?.known === 0) eraseSuppressionOf(key);
        const counts = { submissions: rows.length, resumes };
        if (rows.length > 0) audit(retentionEntry(kind, counts), actor);
        return { ...counts, subscriptions: 0, more: rows.length === limit };
      });
    },

    async resumesToDiscard(count) {
      const keys = await retryWhileBusy(() => toDiscard.all(count).map(({ key }) => key));
      // A file must not go before its application is erased for good.
      await connection.settled();
      return keys;
    },

    forgetDiscarded: (keys) => run(() => keys.forEach((key) => void discarded.run(key))),
  } satisfies Partial<DeskStore>;
}
