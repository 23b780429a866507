// Accepts submissions, several in each commit. A batch is two round trips: its locks and its numbers are asked for together
// with what has to be known of it, and its rows are sent together with COMMIT. An address, a key and a challenge are decided
// about by one transaction at a time. None waits for these locks: an entry whose locks are not free comes again.
import { reached } from "../../failpoint.ts";
import { TryAgain, CommitQueue } from "../commit-queue.ts";
import { decide, type Rows } from "../rules/decide.ts";
import { addressed, type AddressedEntry, dayName, keyName, wantedBy } from "../rules/facts.ts";
import { mailTable } from "../rules/mail-row.ts";
import { settlementWaitMs } from "../rules/mails.ts";
import { type Settled, settledColumns } from "../rules/outbox-row.ts";
import type { References } from "../rules/references.ts";
import { prepareWriting } from "../sql/accepting.ts";
import { type Engine, only, type Query } from "../sql/engine.ts";
import { settling } from "../sql/outbox.ts";
import { type Acceptance, type CommitCounts, type CommitListener, type Entry, StorageUnavailable } from "../store.ts";
import type { Connections } from "./connections.ts";
import { lockOf, lookUp, query, rowsOf } from "./engine.ts";
import type { Session } from "./session.ts";
import { prepared, rowsAs, type Statement } from "./statement.ts";

/** Most jobs of one commit. Locks are at most three a job, and the server has 6,400 of them for all connections. */
const batchMax = 128;

/** How long an entry waits for its locks: longer than a process that has fallen silent keeps them. */
const lockedMs = 2_800;

// A statement of its own before the look-ups: they then see what the last holders of the locks have changed. The table is
// locked before its numbers are drawn, as an INSERT does: readers wait for transactions that have drawn a lower number. The
// days come first, in order, and are waited for: until a transaction has them, it has locked nothing else.
export const lockAndDraw = prepared<{ busy: string[]; arrivals: number[] | null; mails: number[] | null }>(`
  WITH locked AS (UPDATE submission SET version = version WHERE arrival < 0)
  SELECT (SELECT count(pg_advisory_xact_lock(${lockOf("day")})) FROM unnest($4::text[]) AS day) AS days,
    ARRAY (SELECT name FROM unnest($1::text[]) AS name WHERE NOT pg_try_advisory_xact_lock(${lockOf("name")})) AS busy,
    (SELECT json_agg(nextval('submission_arrival_seq')) FROM generate_series(1, $2::integer)) AS arrivals,
    (SELECT json_agg(nextval('mail_id_seq')) FROM generate_series(1, $3::integer)) AS mails`);

/** Finds one row of each table that a transaction has written, if it was committed. */
const findWritten = prepared<object>(`
  SELECT FROM submission WHERE arrival = $1 AND request_id = $2
  UNION ALL SELECT FROM mail WHERE id = $3 AND created_at = $4
  UNION ALL SELECT FROM idempotency WHERE procedure = $5 AND key_hash = $6 AND created_at = $7
  UNION ALL SELECT FROM spent_challenge WHERE challenge_hash = $8`);

// No submission waits for a mail that another session has locked. The LIMIT cuts nothing off: with it the planner expects
// ten rows, without it a hundred, for which it may choose a nested loop over the whole table.
const settleFree = prepared<{ id: number }>(
  `${settling(
    mailTable,
    (column) => `ended.${column}`,
    `FROM (SELECT given.* FROM (SELECT * FROM ${rowsAs("given", settledColumns)} LIMIT json_array_length($1)) AS given
      WHERE (SELECT id FROM mail WHERE mail.id = given.id FOR NO KEY UPDATE SKIP LOCKED) IS NOT NULL) AS ended`,
  )} RETURNING mail.id`,
);

/** A submission, or a statement that goes with the next commit and does the same when it runs twice. */
type Job = AddressedEntry | Query<unknown>;
type Answer = Acceptance | readonly unknown[];

const isEntry = (job: Job): job is AddressedEntry => "submission" in job;

interface Stored {
  readonly answers: ReadonlyMap<Job, Answer | TryAgain>;
  /** Null: there was no submission to store. */
  readonly rows: Rows | null;
}

export function makeAcceptor(
  connections: Connections,
  engine: Engine,
  references: References,
  onCommit: CommitListener | undefined,
) {
  const write = prepareWriting(engine);
  const queue = new CommitQueue<Job, Answer>({ batchMax, onCommit, busyMs: lockedMs, commit });

  async function commit(jobs: readonly Job[]): Promise<readonly (Answer | TryAgain)[]> {
    const entries = jobs.filter(isEntry);
    const beside = jobs.filter((job) => "statement" in job);
    const work = async (session: Session): Promise<Stored> => {
      // In this order: the server settles mails while this process decides.
      const [accepted, results] = await Promise.all([
        entries.length === 0 ? nothingStored : acceptIn(session, entries),
        Promise.all(beside.map((one) => rowsOf(session, one))),
      ]);
      reached("row-written");
      reached("before-commit");
      const answers = new Map<Job, Answer | TryAgain>(accepted.answers);
      for (const [index, one] of beside.entries()) answers.set(one, results[index] ?? []);
      return { ...accepted, answers };
    };
    // A batch that failed is tried again while one of its callers still waits.
    const deadline = Math.max(...entries.map((entry) => entry.deadline));
    const options = entries.length === 0 ? { repeatable: true } : { find: findStored, deadline };
    const { answers } = await connections.transaction(work, options);
    return jobs.map((job) => answers.get(job) ?? []);
  }

  async function acceptIn(session: Session, entries: readonly AddressedEntry[]): Promise<Stored> {
    const { wanted, facts, numbers } = wantedBy(entries);
    const days = wanted.counters.map(dayName).toSorted();
    const [locked] = await Promise.all([
      session.all(lockAndDraw, [entries.flatMap(locksOf), numbers.arrivals, numbers.mails, days]),
      lookUp(session, wanted, facts),
    ]);
    const { busy, arrivals, mails } = only(locked);
    const free = entries.filter((entry) => busy.length === 0 || !locksOf(entry).some((name) => busy.includes(name)));
    const decision = decide(free, facts, { arrivals: arrivals ?? [], mails: mails ?? [] }, references);
    for (const { statement, values } of write(decision)) session.last(statement as Statement<unknown>, values);
    const answers = new Map<Job, Answer | TryAgain>(entries.map((entry) => [entry, stillBusy]));
    for (const [index, entry] of free.entries()) answers.set(entry, decision.answers[index] ?? stillBusy);
    return { answers, rows: decision.rows };
  }

  return {
    get counts(): CommitCounts {
      return { ...queue.counts, retries: connections.retries };
    },

    // The entry has its own deadline.
    accept: (entry: Entry) => queue.run(addressed(entry), entry) as Promise<Acceptance>,

    /** Settles mails with the next commit. Answers which: it passes over those that are locked. */
    async settle(settled: readonly Settled[]): Promise<readonly number[]> {
      const statement = query(settleFree, JSON.stringify(settled));
      const rows = (await queue.run(statement, { waitMs: settlementWaitMs })) as readonly { readonly id: number }[];
      return rows.map(({ id }) => id);
    },

    close: () => queue.close(),
  };
}

const nothingStored: Stored = { answers: new Map(), rows: null };

const stillBusy = new TryAgain(new StorageUnavailable("The database is locked (55P03)."));

/** What no other transaction may decide about meanwhile. */
const locksOf = ({ emailKey, key, challenge, spam }: AddressedEntry): string[] => [
  ...(spam ? [] : [emailKey]),
  ...(key === null ? [] : [keyName(key)]),
  ...(challenge === null ? [] : [challenge.hash]),
];

/** Whether a transaction was committed. One that has written none of these rows runs again. */
async function findStored(session: Session, stored: Stored | undefined): Promise<Stored | null> {
  if (stored === undefined || stored.rows === null) return null;
  const { rows } = stored;
  const [submission] = rows.submission;
  const [mail] = rows.mail;
  const [key] = rows.idempotency;
  const [challenge] = rows.spent_challenge;
  const found = await session.all(findWritten, [
    submission?.arrival,
    submission?.request_id,
    mail?.id,
    mail?.created_at,
    key?.procedure,
    key?.key_hash,
    key?.created_at,
    challenge?.challenge_hash,
  ]);
  return found.length > 0 ? stored : null;
}
