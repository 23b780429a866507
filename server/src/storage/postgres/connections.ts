// A few connections to one server, shared, and transactions on them. Every limit travels with its transaction, never with
// the connection, so that it holds behind a pooler too, which lends a connection for one transaction. Knows no table.
import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { CompiledQuery } from "kysely";
import { Pool, type PoolClient, type PoolConfig, TypeOverrides, types } from "pg";
import { StorageUnavailable } from "../store.ts";
import { asStorageError, isContention, isLost } from "./errors.ts";

/** Wait for a connection, free or new. A caller is still there to be told. */
const connectMs = 2_000;
/** Wait for an answer to one statement; later than the server's own limit, for servers that say nothing any more. */
const usualAnswerMs = 4_000;
/** By how much the server's limit of a read comes before that. */
const aheadMs = 1_000;
/** How long a transaction is run again. */
const againMs = 3_000;
/** How long the outcome of a lost COMMIT is looked for; longer than the server keeps a transaction that hears nothing. */
const findMs = 4_000;
const findPauseMs = 100;
const triesMax = 3;
/** A connection that nobody has needed for this long is closed. */
const idleMs = 30_000;

/** By what name the server knows the connections of services and of their command line. */
export const applicationName = "submissions";

/** What holds within each transaction, in milliseconds; the server ends what takes longer. */
export interface Limits {
  readonly statementMs: number;
  readonly lockMs: number;
  readonly idleMs: number;
}

// A lock is waited for a little longer than a process that says nothing any more can hold it.
const usualLimits: Limits = { statementMs: 3_000, lockMs: 2_800, idleMs: 2_500 };

/** One connection, within one transaction or for one read. */
export interface Session {
  all<Row>(query: CompiledQuery<Row>): Promise<Row[]>;
  /** Answers how many rows the statement changed. */
  run(query: CompiledQuery): Promise<number>;
  /** Runs a script of plain SQL. */
  execute(script: string): Promise<string | undefined>;
}

interface TransactionOptions<T> {
  readonly limits?: Limits;
  /**
   * A query that has a row if, and only if, the transaction with this result was committed; null when nothing tells.
   * Without it a lost COMMIT stays unknown.
   */
  readonly evidence?: (result: T) => CompiledQuery | null;
}

type Attempt<T> =
  | { readonly end: "committed" | "unknown"; readonly result: T; readonly error?: unknown }
  /** `again`: nothing was stored, and the next try may well succeed. */
  | { readonly end: "undone"; readonly error: unknown; readonly again: boolean };

interface ConnectionsOptions extends Pick<PoolConfig, "max"> {
  /** Wait for an answer to one statement, and little longer than one read may take; 0: for ever. In milliseconds. */
  readonly answerMs?: number;
}

export class Connections implements AsyncDisposable {
  readonly #pool: Pool;
  readonly #readLimits: Limits;
  #closed: Promise<void> | undefined;
  #triesAgain = 0;

  constructor(address: PoolConfig, { answerMs = usualAnswerMs, ...options }: ConnectionsOptions = {}) {
    this.#readLimits = { ...usualLimits, statementMs: Math.max(0, answerMs - aheadMs) };
    this.#pool = new Pool({
      application_name: applicationName,
      ...address,
      connectionTimeoutMillis: connectMs,
      query_timeout: answerMs,
      idleTimeoutMillis: idleMs,
      keepAlive: true,
      types: columnTypes,
      ...options,
    });
    // An idle connection that the server ends is taken out of the pool, and the next one is made when it is needed.
    // While a connection is in use its statements are told of its end. Without listeners either ends the process.
    this.#pool.on("error", () => {});
    this.#pool.on("connect", (client) => client.on("error", () => {}));
  }

  /** How often a transaction was run again. */
  get triesAgain(): number {
    return this.#triesAgain;
  }

  /**
   * One query that changes nothing. The server has to know its limits: a query that only we have given up goes on there,
   * and the next one takes another connection.
   */
  async read<Row>(query: CompiledQuery<Row>): Promise<Row[]> {
    const ask = async (session: LentSession) => {
      try {
        await session.execute(beginning(this.#readLimits, null));
        return await session.all(query);
      } finally {
        await session.rollBack();
      }
    };
    let read = await this.#lend(ask);
    // Perhaps only this connection had died in the meantime.
    if (read.failed && read.again) read = await this.#lend(ask);
    if (read.failed) throw read.error;
    return read.result;
  }

  /**
   * Runs `work` in one transaction, committed and synced when this resolves. It runs again, on whichever connection, after
   * a failure that certainly left nothing behind and may not come again.
   *
   * @throws StorageUnavailable, `unknown` when the answer to the COMMIT was lost and the outcome could not be found
   */
  async transaction<T>(work: (session: Session) => Promise<T>, options: TransactionOptions<T> = {}): Promise<T> {
    const giveUpAt = performance.now() + againMs;
    for (let tries = 1; ; tries += 1) {
      const attempt = await this.#attempt(work, options);
      if (attempt.end !== "undone") return attempt.result;
      if (!attempt.again || tries === triesMax || performance.now() >= giveUpAt) throw attempt.error;
      this.#triesAgain += 1;
    }
  }

  /** Waits for what is under way, then closes all connections. */
  close(): Promise<void> {
    return (this.#closed ??= this.#pool.end());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #attempt<T>(
    work: (session: Session) => Promise<T>,
    { evidence, limits }: TransactionOptions<T>,
  ): Promise<Attempt<T>> {
    const lock = evidence === undefined ? null : randomBytes(8).readBigInt64BE();
    const attempt = await this.#once(work, lock, limits);
    if (attempt.end !== "unknown") return attempt;
    const found = lock === null ? null : await this.#find(lock, evidence?.(attempt.result) ?? null);
    if (found === true) return { ...attempt, end: "committed" };
    if (found === false) return { end: "undone", error: attempt.error, again: true };
    throw new StorageUnavailable("The connection was lost while committing; whether it was stored is unknown.", {
      cause: attempt.error,
      outcome: "unknown",
    });
  }

  async #once<T>(
    work: (session: Session) => Promise<T>,
    lock: bigint | null,
    limits = usualLimits,
  ): Promise<Attempt<T>> {
    let worked: { readonly result: T } | undefined;
    const lent = await this.#lend(async (session) => {
      try {
        await session.execute(beginning(limits, lock));
        worked = { result: await work(session) };
        const ended = await session.execute("COMMIT");
        // A transaction that was doomed all along is answered so; no statement of ours lets that pass unseen.
        if (ended !== "COMMIT") throw new Error(`A COMMIT was answered with ${ended}.`);
        return worked.result;
      } catch (error) {
        await session.rollBack();
        throw error;
      }
    });
    if (!lent.failed) return { end: "committed", result: lent.result };
    const { error, again } = lent;
    return lent.lost && worked !== undefined ? { end: "unknown", ...worked, error } : { end: "undone", error, again };
  }

  /**
   * Looks for the outcome of a transaction whose COMMIT was not answered; null when it cannot be found out in time. The
   * transaction held a lock of its own: once that is free, it has ended, one way or the other.
   */
  async #find(lock: bigint, evidence: CompiledQuery | null): Promise<boolean | null> {
    if (evidence === null) return null;
    const giveUpAt = performance.now() + findMs;
    while (performance.now() < giveUpAt) {
      const found = await this.#once(async (session) => {
        // A replica may not have heard of it yet.
        const [server] = await session.all(isReplica);
        if (server?.replica !== false) throw new StorageUnavailable("The database is a replica.");
        return (await session.all(evidence)).length > 0;
      }, lock);
      if (found.end !== "undone") return found.result;
      await pause(findPauseMs);
    }
    return null;
  }

  async #lend<T>(work: (session: LentSession) => Promise<T>): Promise<Lent<T>> {
    let client: PoolClient;
    try {
      client = await this.#pool.connect();
    } catch (error) {
      return { failed: true, error: asStorageError(error), lost: true, again: false };
    }
    const session = new LentSession(client);
    try {
      return { failed: false, result: await work(session) };
    } catch (error) {
      return { failed: true, error, lost: session.lost, again: session.lost || session.contended };
    } finally {
      client.release(session.lost);
    }
  }
}

type Lent<T> =
  | { readonly failed: false; readonly result: T }
  | { readonly failed: true; readonly error: unknown; readonly lost: boolean; readonly again: boolean };

class LentSession implements Session {
  readonly #client: PoolClient;
  lost = false;
  contended = false;

  constructor(client: PoolClient) {
    this.#client = client;
  }

  async all<Row>({ sql: text, parameters }: CompiledQuery<Row>): Promise<Row[]> {
    return (await this.#ask({ text, values: [...parameters] })).rows as Row[];
  }

  async run({ sql: text, parameters }: CompiledQuery): Promise<number> {
    return (await this.#ask({ text, values: [...parameters] })).rowCount ?? 0;
  }

  async execute(script: string): Promise<string | undefined> {
    return (await this.#ask({ text: script })).command;
  }

  /** The connection goes back clean, or, when that fails as well, not at all. */
  async rollBack(): Promise<void> {
    if (!this.lost) await this.execute("ROLLBACK").catch(() => (this.lost = true));
  }

  async #ask(query: { readonly text: string; readonly values?: unknown[] }) {
    try {
      return await this.#client.query(query);
    } catch (error) {
      this.lost ||= isLost(error);
      this.contended ||= isContention(error);
      throw asStorageError(error);
    }
  }
}

const isReplica: CompiledQuery<{ replica: boolean }> = CompiledQuery.raw("SELECT pg_is_in_recovery() AS replica");

/**
 * The beginning of a transaction, in one message. A success is promised to be on stable storage, whatever the role's or
 * the database's setting is.
 */
function beginning({ statementMs, lockMs, idleMs: idle }: Limits, lock: bigint | null): string {
  const statements = [
    "BEGIN ISOLATION LEVEL READ COMMITTED",
    "SET LOCAL synchronous_commit = on",
    `SET LOCAL statement_timeout = ${statementMs}`,
    `SET LOCAL lock_timeout = ${lockMs}`,
    `SET LOCAL idle_in_transaction_session_timeout = ${idle}`,
  ];
  if (lock !== null) statements.push(`SELECT pg_advisory_xact_lock(${lock})`);
  return statements.join("; ");
}

/** BIGINT, which is also what counting answers, as numbers: times and counts are far below 2^53. */
export const columnTypes = new TypeOverrides();
columnTypes.setTypeParser(types.builtins.INT8, Number);
