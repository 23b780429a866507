// Statements that only read, on a thread and a connection of their own: the event loop, which accepts submissions, waits for
// none of them. The thread begins with the first statement.
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { ReadTooSlow, StorageUnavailable } from "../store.ts";
import type { SqliteConnection, Statement } from "./connection.ts";
import { asUnavailable } from "./errors.ts";

/** SQLite's own wait for a lock. Only this thread waits. */
const lockWaitMs = 5_000;

/** Pages in memory, in KiB. */
const cacheKiB = 4 * 1024;

/** The text of a statement. A prepared statement gives it only while its connection is open. */
type Readable = Pick<Statement<never, unknown>, "sourceSQL">;

type Answer = { readonly rows: unknown[] } | { readonly error: { readonly message: string } };

export class ReadingThread implements AsyncDisposable {
  readonly #connection: Pick<SqliteConnection, "file" | "assertSameFile">;
  readonly #statementMs: number;
  readonly #turnWaitMs: number;
  readonly #closing = new AbortController();
  #worker: Worker | undefined;
  /** The read that was asked for last: each waits for the one before. */
  #last: Promise<unknown> = Promise.resolve();
  // SQLite finishes a statement before its thread can end. Two such threads at most run at once.
  #ending: Promise<unknown> = Promise.resolve();
  #endsBeforeNext: Promise<unknown> = Promise.resolve();

  /**
   * @param statementMs how long one statement may take
   * @param turnWaitMs how long one may wait for those before it: a connection on which nothing moves is cut after 20 s
   */
  constructor(
    connection: Pick<SqliteConnection, "file" | "assertSameFile">,
    statementMs: number,
    turnWaitMs = 2 * statementMs,
  ) {
    this.#connection = connection;
    this.#statementMs = statementMs;
    this.#turnWaitMs = turnWaitMs;
  }

  /**
   * @throws ReadTooSlow when the statement, or those before it, take too long
   * @throws StorageUnavailable when the database cannot be used
   */
  all(statement: Readable, values: readonly unknown[]): Promise<unknown[]> {
    const { promise: waitedTooLong, reject } = Promise.withResolvers<never>();
    let isGivenUp = false;
    const timer = setTimeout(() => {
      isGivenUp = true;
      reject(new ReadTooSlow());
    }, this.#turnWaitMs);
    const read = this.#last.then(() => {
      clearTimeout(timer);
      return isGivenUp ? [] : this.#read(statement, values);
    });
    this.#last = read.catch(() => {});
    return Promise.race([read, waitedTooLong]);
  }

  async #read(statement: Readable, values: readonly unknown[]): Promise<unknown[]> {
    if (this.#closing.signal.aborted) throw closed();
    const worker = (this.#worker ??= await this.#start());
    const tooSlow = AbortSignal.timeout(this.#statementMs);
    // A thread without work keeps no process alive.
    worker.ref();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, which knows no origins
    worker.postMessage({ text: statement.sourceSQL, values });
    let answer: Answer;
    try {
      [answer] = (await once(worker, "message", { signal: AbortSignal.any([this.#closing.signal, tooSlow]) })) as [
        Answer,
      ];
    } catch (error) {
      this.#end();
      if (this.#closing.signal.aborted) throw closed();
      throw tooSlow.aborted ? new ReadTooSlow() : error;
    } finally {
      worker.unref();
    }
    if ("rows" in answer) return answer.rows;
    const error = Object.assign(new Error(answer.error.message), answer.error);
    throw asUnavailable(error) ?? error;
  }

  async #start(): Promise<Worker> {
    await this.#endsBeforeNext;
    if (this.#closing.signal.aborted) throw closed();
    // Another file may stand there by now.
    this.#connection.assertSameFile();
    const worker = new Worker(new URL("reading-thread.js", import.meta.url), {
      name: "operators' reads",
      execArgv: [],
      // With the environment of `node --watch`, Node itself would send messages in the thread's name.
      env: {},
      workerData: {
        file: this.#connection.file,
        options: { readOnly: true, timeout: lockWaitMs, enableDoubleQuotedStringLiterals: false, defensive: true },
        script: `PRAGMA trusted_schema = OFF; PRAGMA cache_size = -${cacheKiB}`,
      },
    });
    await once(worker, "message").catch((error: unknown) => {
      throw asUnavailable(error) ?? error;
    });
    return worker;
  }

  #end(): void {
    this.#endsBeforeNext = this.#ending;
    if (this.#worker !== undefined) this.#ending = this.#worker.terminate();
    this.#worker = undefined;
  }

  /** Ends the thread; what waits is refused. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#last;
    this.#end();
    await Promise.all([this.#endsBeforeNext, this.#ending]);
  }
}

const closed = () => new StorageUnavailable("The database is closed.");
