// Erases persons and outdated submissions, a few in each transaction. What refers to a submission goes with it.
import { emailKey } from "@submissions/shared/fields";
import { kindOf } from "@submissions/shared/kinds";
import { ofKinds } from "../../kinds.ts";
import type { DeskStore } from "../desk-store.ts";
import type { SubscriberStatus } from "../records.ts";
import { hashedKey, leftKey, type Standing } from "../rules/suppression.ts";
import { prepareErasureNews } from "./announcements.ts";
import { prepareAudit } from "./audit.ts";
import { type Engine, only, type Steps, together } from "./engine.ts";
import type { SearchIndex } from "./search-index.ts";
import { suppressText } from "./addresses.ts";

export interface ErasingOptions {
  /** Submissions that one transaction erases. */
  readonly atOnce: number;
  /** In which order it takes those of a person, in SQL. */
  readonly order: string;
}

interface Row {
  readonly arrival: number;
  readonly reference: string;
  readonly resumeKey: string | null;
  readonly key: string;
}

type ErasedSuppression = Standing & { readonly key: string };

/** An index, which submissions of it, and the time that they are kept from. */
type OutdatedBy = readonly [index: string, condition: string, since: string];

const ofKind: OutdatedBy = ["submission_received", "kind = $1 AND status <> 'spam'", "received_at"];
const ofSpam: OutdatedBy = ["submission_spam", "$1 = 'spam' AND status = 'spam'", "received_at"];
// The index has the others that were decided, too: the hired ones.
const ofDeclined: OutdatedBy = [
  "submission_decided",
  "$1 = 'declined' AND decided_at IS NOT NULL AND stage IN ('declined', 'withdrawn') AND status <> 'spam'",
  "decided_at",
];

export function makeErasing(
  engine: Engine,
  { removeWords, mergeRemoved }: SearchIndex,
  { atOnce, order }: ErasingOptions,
) {
  const { prepare, indexedBy, among, amongUnlocked, locking, lockAddress, read, write, transaction } = engine;
  const found = `SELECT arrival, reference, resume_key AS "resumeKey", email_key AS key FROM submission`;
  /** Those that came, or were decided, before an instant, the oldest first. */
  const outdated = ([index, condition, since]: OutdatedBy) => ({
    find: prepare<Row>(`
      ${found} WHERE ${amongUnlocked(
        "arrival",
        `SELECT arrival FROM submission ${indexedBy(index)} WHERE ${condition} AND ${since} < $2
        ORDER BY ${since} LIMIT ${atOnce}`,
      )}`),
    count: prepare<{ outdated: number; stored: number }>(`
      SELECT count(*) FILTER (WHERE ${since} < $2) AS outdated, count(*) AS stored
      FROM submission ${indexedBy(index)} WHERE ${condition}`),
  });
  const ofAnyKind = outdated(ofKind);
  const eraseSuppressions = (condition: string) =>
    prepare<ErasedSuppression>(`
      DELETE FROM suppression WHERE ${among("email_key", "$1")} ${condition}
      RETURNING email_key AS key, reason, changed_at AS at`);
  const statements = {
    ofPerson: prepare<Row>(`
      ${found} ${indexedBy("submission_email")} WHERE email_key = $1 ${order} LIMIT ${atOnce} ${locking("FOR UPDATE")}`),
    outdated: { ...ofKinds(() => ofAnyKind), spam: outdated(ofSpam), declined: outdated(ofDeclined) },
    erase: prepare(`DELETE FROM submission WHERE ${among("arrival", "$1", "bigint")}`),
    keepFileKeys: prepare(`
      INSERT INTO erased_resume (resume_key)
      SELECT resume_key FROM submission WHERE ${among("arrival", "$1", "bigint")} AND resume_key IS NOT NULL
      UNION ALL SELECT file_key FROM answer_file JOIN answer ON answer.id = answer_file.answer
      WHERE ${among("answer.submission", "$1", "bigint")} AND file_key IS NOT NULL
      ON CONFLICT DO NOTHING`),
    eraseUnmatched: prepare<object>("DELETE FROM unmatched WHERE sender_key = $1 RETURNING id"),
    eraseSubscriber: prepare<{ arrival: number; status: SubscriberStatus }>(
      "DELETE FROM subscriber WHERE email_key = $1 RETURNING arrival, status",
    ),
    eraseKeys: prepare<object>("DELETE FROM idempotency WHERE subscriber = $1 RETURNING procedure"),
    eraseSuppressions: eraseSuppressions(""),
    /** Only those of addresses that nothing else is stored of. */
    eraseLastSuppressions: eraseSuppressions(`
      AND NOT EXISTS (SELECT 1 FROM submission WHERE submission.email_key = suppression.email_key)
      AND NOT EXISTS (SELECT 1 FROM subscriber WHERE subscriber.email_key = suppression.email_key)`),
    keepHash: prepare(suppressText),
    toDiscard: prepare<{ key: string }>("SELECT resume_key AS key FROM erased_resume ORDER BY resume_key LIMIT $1"),
    discarded: prepare(`DELETE FROM erased_resume WHERE ${among("resume_key", "$1")}`),
  };
  const audit = prepareAudit(engine);
  const announceErasure = prepareErasureNews(engine);

  /** Whether there is more to do after these rows. */
  function* hasMore(rows: readonly Row[]): Steps<boolean> {
    return rows.length === atOnce || (yield* mergeRemoved());
  }

  /** Keys of their files are kept. Answers how many resumes there are. */
  function* eraseRows(rows: readonly Row[]): Steps<number> {
    const arrivals = rows.map(({ arrival }) => arrival);
    yield* removeWords(arrivals);
    yield* statements.keepFileKeys(arrivals);
    yield* statements.erase(arrivals);
    return rows.filter(({ resumeKey }) => resumeKey !== null).length;
  }

  /** Keeps the hashes of those addresses that are not to be mailed. Answers how many rows there were. */
  function* keepHashes(erased: readonly ErasedSuppression[]): Steps<number> {
    yield* together(
      erased.flatMap(({ key, reason, at }) => (reason === null ? [] : statements.keepHash(hashedKey(key), reason, at))),
    );
    return erased.length;
  }

  return {
    erasePerson: transaction(function* (email, actor) {
      const key = emailKey(email);
      const [rows] = yield* lockAddress(key, [statements.ofPerson(key)]);
      const resumes = yield* eraseRows(rows);
      const subscriptions = yield* statements.eraseSubscriber(key);
      const subscribers = subscriptions.map(({ arrival }) => arrival);
      // An older CSV of subscribers may still list an address that unsubscribed. One that is active came back.
      for (const { status } of subscriptions) {
        if (status === "unsubscribed") yield* statements.keepHash(leftKey(key), status, actor.at);
        if (status === "active") yield* statements.eraseSuppressions([leftKey(key)]);
      }
      const keys = (yield* statements.eraseKeys(key)).length + (yield* statements.eraseUnmatched(key)).length;
      const suppressions = yield* keepHashes(yield* statements.eraseSuppressions([key]));
      const counts = { submissions: rows.length, subscriptions: subscribers.length, resumes };
      const erased = rows.length + subscribers.length + keys + suppressions > 0;
      // By what names a person in an older copy of the database, and nowhere else.
      const detail = { ...counts, references: rows.map(({ reference }) => reference), subscribers };
      if (erased) yield* audit({ action: "erase", subject: "person", detail }, actor);
      if (rows.length + subscribers.length > 0) yield* announceErasure(key, detail.references, actor.at);
      return { ...counts, more: yield* hasMore(rows) };
    }),

    eraseOutdated: transaction(
      function* ({ kind, before }, actor) {
        const rows = yield* statements.outdated[kind].find(kind, before);
        const resumes = yield* eraseRows(rows);
        yield* keepHashes(yield* statements.eraseLastSuppressions(rows.map(({ key }) => key)));
        const detail = { submissions: rows.length, resumes };
        const subject = kind === "spam" || kind === "declined" ? kind : kindOf(kind).plural;
        if (rows.length > 0) yield* audit({ action: "retention", subject, detail }, actor);
        return { ...detail, subscriptions: 0, more: yield* hasMore(rows) };
      },
      { repeatable: true },
    ),

    countOutdated: async ({ kind, before }) => only(await read(statements.outdated[kind].count(kind, before))),

    async resumesToDiscard(count, discarded) {
      if (discarded.length > 0) await write(statements.discarded(discarded));
      return (await read(statements.toDiscard(count))).map(({ key }) => key);
    },
  } satisfies Partial<DeskStore>;
}
