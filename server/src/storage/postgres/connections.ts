// A few connections to one server, and transactions on them that are tried again and whose outcome is found out. Whatever
// a transaction needs to be set travels in its first message: a pooler lends a connection for one transaction only.
import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { Pool, type PoolClient, type PoolConfig, TypeOverrides, types } from "pg";
import { ReadTooSlow, StorageUnavailable } from "../store.ts";
import { makeCommitProbe } from "./commit-probe.ts";
import { asStorageError, isDiskFull, isOutOfTime, isSilence } from "./errors.ts";
import { type Attempt, LeasedConnection, type Reader, type Session } from "./session.ts";
import { prepared, type Statement } from "./statement.ts";

/** Wait for a connection, free or new. */
const usualConnectMs = 2_000;
/** Wait for an answer. Longer than the server's own limit: for servers that have fallen silent. */
const usualAnswerMs = 4_000;
/** The server ends a statement so much sooner than this process stops waiting for the answer. */
const aheadMs = 1_000;
const againMs = 3_000;
const triesMax = 3;
/** How long the outcome of a lost COMMIT is looked for; longer than the server keeps a transaction that hears nothing. */
const findMs = 4_000;
const findPauseMs = 100;
/** A connection that was not needed for this long is closed. */
const idleMs = 30_000;
/** How long a full disk is remembered: no cheap probe shows whether there is room again. */
const diskFullMs = 10_000;

/** By what name the server knows the connections of services and of their command line. */
export const applicationName = "submissions";

/** What holds within each transaction, in milliseconds; the server ends what takes longer. */
export interface Limits {
  readonly statementMs: number;
  readonly lockMs: number;
  readonly idleMs: number;
}

// A lock is waited for a little longer than a process that has fallen silent can hold it.
const usualLimits: Limits = { statementMs: usualAnswerMs - aheadMs, lockMs: 2_800, idleMs: 2_500 };

/** After a read its connection rests as long as the read took, at most this long: half of the time is left to submissions. */
const readRestMsMax = 100;

export interface TransactionOptions<T> {
  readonly limits?: Limits;
  /** By `performance.now()`. After it nothing is tried again, and no answer is waited for any longer than a moment. */
  readonly deadline?: number;
  /** Whether running it twice does the same as running it once: it runs again when its outcome is unknown. */
  readonly repeatable?: boolean;
  /**
   * Asks what a transaction with an unknown outcome has stored, once it has certainly ended; null: it was not committed.
   * Without it the outcome stays unknown.
   * @param result undefined when the answers to its statements were lost, too
   */
  readonly find?: (session: Session, result: T | undefined) => Promise<T | null>;
}

interface ConnectionsOptions extends Pick<PoolConfig, "max"> {
  /** Wait for a connection, free or new. In milliseconds, as all of these. */
  readonly connectMs?: number;
  /** Wait for an answer, and a little longer than one statement may take; 0: without end. */
  readonly answerMs?: number;
  /** For what operators read: how long one statement may take before it ends with {@link ReadTooSlow}. */
  readonly readMs?: number;
}

export class Connections implements Reader, AsyncDisposable {
  /** Transactions that ran again. */
  retries = 0;
  readonly #pool: Pool;
  readonly #probe: ReturnType<typeof makeCommitProbe>;
  readonly #connectMs: number;
  /** The first message of a transaction with the usual limits. */
  readonly #begin: string;
  /** Until a pooler is met that cannot do it. */
  #prepares = true;
  readonly #areReads: boolean;
  #diskFull: { readonly error: unknown; readonly until: number } | null = null;
  #closed: Promise<void> | undefined;

  constructor(
    address: PoolConfig,
    {
      connectMs = usualConnectMs,
      readMs,
      answerMs = readMs === undefined ? usualAnswerMs : readMs + aheadMs,
      ...options
    }: ConnectionsOptions = {},
  ) {
    this.#areReads = readMs !== undefined;
    this.#begin = beginning({ ...usualLimits, statementMs: Math.max(0, answerMs - aheadMs) });
    this.#connectMs = connectMs;
    this.#probe = makeCommitProbe({ application_name: applicationName, ...address }, usualAnswerMs);
    this.#pool = new Pool({
      application_name: applicationName,
      ...address,
      connectionTimeoutMillis: connectMs,
      query_timeout: answerMs,
      idleTimeoutMillis: idleMs,
      keepAlive: true,
      pipeline: true,
      types: columnTypes,
      ...options,
    });
    // An idle connection that the server ends is taken out of the pool, and the next one is made when it is needed. While
    // a connection is in use, its statements fail when it ends. Without listeners both would end the process.
    this.#pool.on("error", () => {});
    this.#pool.on("connect", (client) => client.on("error", () => {}));
  }

  /** @throws StorageUnavailable for 10 s after a statement failed because the server's disk is full */
  checkDisk(): void {
    if (this.#diskFull !== null && performance.now() < this.#diskFull.until) throw this.#diskFull.error;
  }

  /** One statement that changes nothing, in one round trip. */
  all<Row>(statement: Statement<Row>, values: readonly unknown[] = []): Promise<Row[]> {
    return this.write(statement, values, { repeatable: true });
  }

  /** One statement in a transaction of its own, in one round trip. Otherwise as {@link transaction}. */
  write<Row>(
    statement: Statement<Row>,
    values: readonly unknown[],
    options: TransactionOptions<Row[]> = {},
  ): Promise<Row[]> {
    return this.#run(options, (leased, begin) => leased.inOneTrip(begin, statement, values));
  }

  /**
   * Runs `work` in one transaction, committed and synced when this resolves. It runs again after a failure that left
   * nothing behind and may not come again.
   * @throws StorageUnavailable, with the outcome `unknown` when the answer to the COMMIT was lost and the outcome could
   * not be found out
   */
  transaction<T>(work: (session: Session) => Promise<T>, options: TransactionOptions<T> = {}): Promise<T> {
    return this.#run(options, (leased, begin) => leased.inSeveralTrips(begin, work));
  }

  /** Waits for what is under way, then closes all connections. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#probe.close();
    return (this.#closed ??= this.#pool.end());
  }

  async #run<T>(
    { limits, deadline = Infinity, repeatable = false, find }: TransactionOptions<T>,
    attempt: (leased: LeasedConnection, begin: string) => Promise<Attempt<T>>,
  ): Promise<T> {
    const giveUpAt = Math.min(deadline, performance.now() + againMs);
    // The lock is held as long as the transaction lives: the transaction that gets it next knows that it has ended.
    const lock = find === undefined ? "" : `; SELECT pg_advisory_xact_lock(${randomBytes(8).readBigInt64BE()})`;
    const begin = (limits === undefined ? this.#begin : beginning(limits)) + lock;
    for (let tries = 1; ; tries += 1) {
      await this.#refuseWhileProbing(deadline);
      const attempted = await this.#lease((leased) => attempt(leased, begin), deadline);
      if (attempted.end === "committed") return attempted.result;
      if (attempted.end === "unknown" && isSilence(attempted.error)) this.#probe.start();
      let again = attempted.end === "unknown" || attempted.again;
      if (attempted.end === "unknown" && !repeatable) {
        const found = find === undefined ? undefined : await this.#find(begin, attempted.result, find, deadline);
        if (found === undefined)
          throw new StorageUnavailable(lostCommit, { cause: attempted.error, outcome: "unknown" });
        if (found !== null) return found;
        again = true;
      }
      if (!again || tries === triesMax || performance.now() >= giveUpAt) {
        if (isDiskFull(attempted.error))
          this.#diskFull = { error: attempted.error, until: performance.now() + diskFullMs };
        if (this.#areReads && isOutOfTime(attempted.error)) throw new ReadTooSlow({ cause: attempted.error });
        throw attempted.error;
      }
      this.retries += 1;
    }
  }

  /** Looks for the outcome of a transaction; undefined when it cannot be found out in time. */
  async #find<T>(
    begin: string,
    result: T | undefined,
    find: (session: Session, result: T | undefined) => Promise<T | null>,
    deadline: number,
  ): Promise<T | null | undefined> {
    const look = async (session: Session) => {
      // A replica may not have heard of it yet.
      const [server] = await session.all(isReplica);
      if (server?.replica !== false) throw new StorageUnavailable("The database is a replica.");
      return find(session, result);
    };
    const giveUpAt = Math.min(deadline, performance.now() + findMs);
    do {
      const found = await this.#lease((leased) => leased.inSeveralTrips(begin, look), deadline);
      if (found.end !== "undone") return found.result;
      await pause(findPauseMs);
    } while (performance.now() < giveUpAt);
    return undefined;
  }

  /** Waits for the probe as long as for a connection. */
  async #refuseWhileProbing(deadline: number): Promise<void> {
    const { waiting } = this.#probe;
    if (waiting === null) return;
    const waitMs = Math.max(0, Math.min(this.#connectMs, deadline - performance.now()));
    const commits = await Promise.race([waiting.then(() => true), pause(waitMs, false)]);
    if (!commits) throw new StorageUnavailable("The database does not end its commits.");
  }

  async #lease<T>(attempt: (leased: LeasedConnection) => Promise<Attempt<T>>, deadline: number): Promise<Attempt<T>> {
    let client: PoolClient;
    try {
      client = await this.#pool.connect();
    } catch (error) {
      return { end: "undone", error: asStorageError(error), again: false };
    }
    const leased = new LeasedConnection(client, this.#prepares, deadline);
    const startedAt = performance.now();
    try {
      return await attempt(leased);
    } finally {
      this.#prepares &&= !leased.unprepared;
      const release = () => client.release(leased.lost);
      if (this.#areReads) setTimeout(release, Math.min(performance.now() - startedAt, readRestMsMax));
      else release();
    }
  }
}

const lostCommit = "The connection was lost while committing; whether it was stored is unknown.";

const isReplica = prepared<{ replica: boolean }>("SELECT pg_is_in_recovery() AS replica");

/**
 * The first message of a transaction. Plans may only be nested loops over indexes, whatever the statistics say: a new
 * database has none, and lists of parameters look long to the planner, which would rather read whole tables.
 */
function beginning({ statementMs, lockMs, idleMs: idle }: Limits): string {
  const settings = {
    synchronous_commit: "on",
    statement_timeout: statementMs,
    lock_timeout: lockMs,
    idle_in_transaction_session_timeout: idle,
    enable_seqscan: "off",
    enable_hashjoin: "off",
    enable_mergejoin: "off",
    jit: "off",
    plan_cache_mode: "force_generic_plan",
  };
  const set = Object.entries(settings).map(([name, value]) => `SET LOCAL ${name} = ${value}`);
  return ["BEGIN ISOLATION LEVEL READ COMMITTED", ...set].join("; ");
}

/** For a transaction that takes as long as it takes. PostgreSQL 17 and later have a limit that no other setting lifts. */
export const setNoEnd = `
  SELECT set_config('transaction_timeout', '0', true) WHERE current_setting('transaction_timeout', true) IS NOT NULL`;

/** BIGINT, which is also what counting answers, as numbers: times and counts are far below 2^53. */
export const columnTypes = new TypeOverrides();
columnTypes.setTypeParser(types.builtins.INT8, Number);
