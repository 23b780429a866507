// Accepts submissions, several in each commit. Those without key and challenge, which are nearly all, and how mails ended
// take one statement, which is one round trip. Those with a key or a challenge take another, so that a race for one of
// these never undoes an ordinary submission. Subscriptions lock their addresses first.
import { reached } from "../../failpoint.ts";
import { CommitQueue } from "../commit-queue.ts";
import { settlementWaitMs } from "../rules/mails.ts";
import type { References } from "../rules/references.ts";
import { mailTable } from "../sql/mails.ts";
import { type Settled, settledColumns, settling } from "../sql/outbox.ts";
import type { Acceptance, CommitCounts, CommitListener, Entry } from "../store.ts";
import { lookedUp, preparedArrays, type Statement, valuesOf } from "./statement.ts";
import type { Connections, TransactionOptions } from "./connections.ts";
import { DayNumbers } from "./day-numbers.ts";
import { isLockTimeout, isTaken } from "./errors.ts";
import {
  drawnOf,
  type Filing,
  filingAnswer,
  filingParameters,
  filingParts,
  Filings,
  latestDeadline,
  newFiling,
  receiptLocks,
  type StoredRow,
} from "./filing.ts";
import {
  challengeColumns,
  challengeRows,
  commitWhatIsFree,
  findTaken,
  keyColumns,
  keyRows,
  taking,
  wantedBy,
} from "./once.ts";
import type { Session } from "./session.ts";
import { type AddressBusy, subscribeAll, type Subscribing } from "./subscribers.ts";

/** Most jobs of one commit. */
const batchMax = 128;

const nothingStored: Acceptance = { result: "accepted", reference: null, mails: [], capped: [] };

/**
 * The mails of some settlements, but for those that another session has locked: no submission waits for them.
 *
 * @param first number of the first parameter
 */
const unlocked = (first: number): string => `(
    SELECT given.* FROM ${lookedUp("given", settledColumns, first)} JOIN mail ON mail.id = given.id
    FOR NO KEY UPDATE OF mail SKIP LOCKED
  )`;

const storeOrdinary = preparedArrays<StoredRow>(`
  WITH ${filingParts}, settled AS (${settling(mailTable, unlocked(filingParameters + 1))})
  ${filingAnswer} UNION ALL SELECT id, NULL, 'settled' FROM settled`);

export const storeOnce = preparedArrays<StoredRow>(
  `WITH ${filingParts}, ${taking(filingParameters + 1)} ${filingAnswer}`,
);

/** How the tries of some mails ended. */
interface Settling {
  readonly settled: readonly Settled[];
}

/** What became of a job that is no submission, or of one that is refused while the others of its batch are not. */
type End =
  | { readonly result: "settled"; readonly rows: readonly number[] }
  | { readonly result: "refused"; readonly error: unknown };

/** An entry with a key or a challenge. */
interface OnceOnly {
  readonly entry: Entry;
  /** Null for a subscription that is spam: only its key and its challenge are kept. */
  readonly filing: Filing | null;
}

export class Acceptor {
  readonly #connections: Connections;
  readonly #filings: Filings;
  readonly #ordinary: CommitQueue<Filing | Settling, Acceptance | End>;
  readonly #onceOnly: CommitQueue<OnceOnly, Acceptance>;
  readonly #subscriptions: CommitQueue<Subscribing, Acceptance | AddressBusy>;
  /** Those whose address was locked; one at a time, so that they never need more than one connection. */
  readonly #lateSubscriptions: CommitQueue<Subscribing, Acceptance | AddressBusy>;

  constructor(connections: Connections, references: References, onCommit?: CommitListener) {
    this.#connections = connections;
    this.#filings = new Filings(references, new DayNumbers(connections));
    this.#ordinary = new CommitQueue({ batchMax, onCommit, commit: (jobs) => this.#commitOrdinary(jobs) });
    this.#onceOnly = new CommitQueue<OnceOnly, Acceptance>({
      batchMax,
      onCommit,
      contendedBy: wantedBy,
      commit: (jobs) => this.#commitOnce(jobs),
    });
    this.#subscriptions = new CommitQueue<Subscribing, Acceptance | AddressBusy>({
      batchMax,
      onCommit,
      contendedBy: wantedBy,
      commit: (jobs) => this.#subscribe(jobs, false),
    });
    this.#lateSubscriptions = new CommitQueue({ batchMax: 1, onCommit, commit: (jobs) => this.#subscribe(jobs, true) });
  }

  get counts(): CommitCounts {
    const all = this.#queues.map(({ counts }) => counts);
    const sum = (name: "commits" | "jobs" | "waiting") => all.reduce((total, counts) => total + counts[name], 0);
    return {
      commits: sum("commits"),
      jobs: sum("jobs"),
      retries: this.#connections.retries,
      waiting: sum("waiting"),
    };
  }

  async accept(entry: Entry): Promise<Acceptance> {
    const { submission: record, deadline, waitMs, spam, key, challenge } = entry;
    const options = { deadline, waitMs };
    const once = key !== null || challenge !== null;
    if (record.kind !== "subscription") {
      const filing = newFiling(entry, record);
      if (once) return this.#onceOnly.run({ entry, filing }, options);
      return expected(await this.#ordinary.run(filing, options));
    }
    if (spam) return once ? this.#onceOnly.run({ entry, filing: null }, options) : nothingStored;
    const answer = await this.#subscriptions.run({ entry, record }, options);
    if (answer.result !== "address-busy") return answer;
    return expected(await this.#lateSubscriptions.run({ entry, record }, { deadline }));
  }

  /** Settles mails in the next commit of ordinary submissions. Answers which: it passes over those that are locked. */
  async settle(settled: readonly Settled[]): Promise<readonly number[]> {
    const end = await this.#ordinary.run({ settled }, { waitMs: settlementWaitMs });
    return end.result === "settled" ? end.rows : [];
  }

  /** Takes no more and waits for what was handed in. */
  async close(): Promise<void> {
    for (const one of this.#queues) await one.close();
  }

  get #queues() {
    return [this.#ordinary, this.#onceOnly, this.#subscriptions, this.#lateSubscriptions];
  }

  async #commitOrdinary(jobs: readonly (Filing | Settling)[]): Promise<readonly (Acceptance | End)[]> {
    const settled = jobs.flatMap((job) => ("settled" in job ? job.settled : []));
    const filings = jobs.flatMap((job) => ("settled" in job ? [] : job));
    await this.#filings.draw(filings);
    const open = filings.filter(({ drawn }) => drawn !== null);
    const more = () => valuesOf(settledColumns, settled);
    const find = (session: Session) => this.#filings.findIn(session, open);
    try {
      const rows = await this.#store(storeOrdinary, open, more, { find, deadline: latestDeadline(open) });
      const stored = this.#filings.answersOf(open, rows);
      const done = rows.flatMap(([id, , kind]) => (kind === "settled" ? id : []));
      return jobs.map((job) =>
        "settled" in job ? { result: "settled", rows: done } : (stored.get(job) ?? { result: "references-exhausted" }),
      );
    } catch (error) {
      if (!isLockTimeout(error) || jobs.length === 1) throw error;
    }
    // One of them met a lock that stays: the others must not be refused with it, nor wait for it again.
    return Promise.all(
      jobs.map(async (job): Promise<Acceptance | End> => {
        if ("settled" in job) return { result: "settled", rows: [] };
        try {
          return (await this.#commitOrdinary([job]))[0] as Acceptance | End;
        } catch (error) {
          return { result: "refused", error };
        }
      }),
    );
  }

  /**
   * Runs a statement that stores filings and something more.
   *
   * @param more its further parameters; asked for again when the filings get other numbers
   */
  async #store(
    statement: Statement<StoredRow>,
    filings: readonly Filing[],
    more: () => readonly unknown[],
    options: Pick<TransactionOptions<StoredRow[]>, "find" | "deadline">,
  ): Promise<readonly StoredRow[]> {
    const values = [...this.#filings.valuesOf(filings), ...more()];
    reached("row-written");
    reached("before-commit");
    try {
      return await this.#connections.write(statement, values, { first: receiptLocks(filings), ...options });
    } catch (error) {
      if (!isTaken(error) || filings.length === 0) throw error;
      // Perhaps by a try of these very filings that reached the server late.
      const find = (session: Session) => this.#filings.findIn(session, filings);
      const rows = await this.#connections.transaction(find, { repeatable: true });
      if (rows !== null) return rows;
      if (!isTaken(error, "submission_day_number")) throw error;
      // After a failover that lost the latest commits, the counter gives out numbers that a process has reserved before.
      await this.#filings.drawAnew(filings);
      return this.#store(statement, filings, more, options);
    }
  }

  async #commitOnce(jobs: readonly OnceOnly[]): Promise<readonly Acceptance[]> {
    await this.#filings.draw(jobs.flatMap(({ filing }) => filing ?? []));
    const isExhausted = ({ filing }: OnceOnly) => filing?.drawn === null;
    const [without, open] = [jobs.filter(isExhausted), jobs.filter((job) => !isExhausted(job))];
    const answers = new Map(await commitWhatIsFree(this.#connections, open, (some) => this.#storeOnce(some)));
    if (without.length > 0) {
      // A repetition is answered as such although no reference is left.
      const find = (session: Session) => findTaken(session, without);
      const taken = await this.#connections.transaction(find, { repeatable: true });
      for (const job of without) answers.set(job, taken.get(job) ?? { result: "references-exhausted" });
    }
    return jobs.map((job) => {
      const answer = expected(answers.get(job));
      if (answer.result !== "accepted" && job.filing !== null) this.#filings.giveBack(job.filing);
      return answer;
    });
  }

  async #storeOnce(jobs: readonly OnceOnly[]): Promise<ReadonlyMap<OnceOnly, Acceptance>> {
    const filings = jobs.flatMap(({ filing }) => filing ?? []);
    const more = () => {
      const keys = keyRows(jobs, ({ filing }) => ({ number: filing && drawnOf(filing).number, subscriber: null }));
      return [...valuesOf(keyColumns, keys), ...valuesOf(challengeColumns, challengeRows(jobs))];
    };
    const find = async (session: Session) => {
      if (filings.length > 0) return this.#filings.findIn(session, filings);
      return (await findTaken(session, jobs)).size > 0 ? [] : null;
    };
    const rows = await this.#store(storeOnce, filings, more, { find, deadline: latestDeadline(jobs) });
    const stored = this.#filings.answersOf(filings, rows);
    return new Map(jobs.map((job) => [job, (job.filing && stored.get(job.filing)) ?? nothingStored]));
  }

  async #subscribe(jobs: readonly Subscribing[], waiting: boolean): Promise<readonly (Acceptance | AddressBusy)[]> {
    const subscribe = (some: readonly Subscribing[]) => subscribeAll(this.#connections, some, waiting);
    const answers = await commitWhatIsFree(this.#connections, jobs, subscribe);
    return jobs.map((job) => {
      const answer = answers.get(job);
      return answer?.result === "address-busy" ? answer : expected(answer);
    });
  }
}

function expected(answer: Acceptance | End | AddressBusy | undefined): Acceptance {
  if (answer?.result === "refused") throw answer.error;
  if (answer === undefined || answer.result === "settled" || answer.result === "address-busy") {
    throw new Error(`A submission was answered with ${answer?.result ?? "nothing"}.`);
  }
  return answer;
}
