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

export type ReadingThread = ReturnType<typeof makeReadingThread>;

/**
 * @param statementMs how long one statement may take
 * @param turnWaitMs how long one may wait for those before it: a connection on which nothing moves is cut after 20 s
 */
export function makeReadingThread(
  { file, assertSameFile }: Pick<SqliteConnection, "file" | "assertSameFile">,
  statementMs: number,
  turnWaitMs = 2 * statementMs,
) {
  const closing = new AbortController();
  let worker: Worker | undefined;
  /** The read that was asked for last: each waits for the one before. */
  let last: Promise<unknown> = Promise.resolve();
  // SQLite finishes a statement before its thread can end. Two such threads at most run at once.
  let ending: Promise<unknown> = Promise.resolve();
  let endsBeforeNext: Promise<unknown> = Promise.resolve();

  async function read(statement: Readable, values: readonly unknown[]): Promise<unknown[]> {
    if (closing.signal.aborted) throw closed();
    const reader = (worker ??= await start());
    const tooSlow = AbortSignal.timeout(statementMs);
    // A thread without work keeps no process alive.
    reader.ref();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, which knows no origins
    reader.postMessage({ text: statement.sourceSQL, values });
    let answer: Answer;
    try {
      const signal = AbortSignal.any([closing.signal, tooSlow]);
      [answer] = (await once(reader, "message", { signal })) as [Answer];
    } catch (error) {
      end();
      if (closing.signal.aborted) throw closed();
      throw tooSlow.aborted ? new ReadTooSlow() : error;
    } finally {
      reader.unref();
    }
    if ("rows" in answer) return answer.rows;
    const error = Object.assign(new Error(answer.error.message), answer.error);
    throw asUnavailable(error) ?? error;
  }

  async function start(): Promise<Worker> {
    await endsBeforeNext;
    if (closing.signal.aborted) throw closed();
    // Another file may stand there by now.
    assertSameFile();
    const started = new Worker(new URL("reading-thread.js", import.meta.url), {
      name: "operators' reads",
      execArgv: [],
      // With the environment of `node --watch`, Node itself would send messages in the thread's name.
      env: {},
      workerData: {
        file,
        options: { readOnly: true, timeout: lockWaitMs, enableDoubleQuotedStringLiterals: false, defensive: true },
        script: `PRAGMA trusted_schema = OFF; PRAGMA cache_size = -${cacheKiB}`,
      },
    });
    // It may fail when its answer is not waited for any more. Without a listener that would end the process, and the next
    // statement must not wait for a thread that has ended.
    started.on("error", () => {});
    started.once("exit", () => {
      if (worker === started) worker = undefined;
    });
    await once(started, "message").catch((error: unknown) => {
      throw asUnavailable(error) ?? error;
    });
    return started;
  }

  function end(): void {
    endsBeforeNext = ending;
    if (worker !== undefined) ending = worker.terminate();
    worker = undefined;
  }

  return {
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
      }, turnWaitMs);
      const rows = last.then(() => {
        clearTimeout(timer);
        return isGivenUp ? [] : read(statement, values);
      });
      last = rows.catch(() => {});
      return Promise.race([rows, waitedTooLong]);
    },

    /** Ends the thread; what waits is refused. */
    async [Symbol.asyncDispose](): Promise<void> {
      closing.abort();
      await last;
      end();
      await Promise.all([endsBeforeNext, ending]);
    },
  };
}

const closed = () => new StorageUnavailable("The database is closed.");
