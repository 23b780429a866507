// One transaction on one connection. Messages are sent without waiting for the answer to the one before,
// so that a transaction of one statement is one round trip. Knows no table.
import type { PoolClient, QueryConfig, QueryResult } from "pg";
import { asStorageError, isAnswer, isContention, isLost, isUnprepared } from "./errors.ts";
import type { Bound, Statement } from "./statement.ts";

/** The wait for an answer when a caller has a deadline: less when it is near, and this little when it has passed. */
const answerMsMax = 4_000;
const answerMsMin = 500;

export interface Reader {
  all<Row>(statement: Statement<Row>, values?: readonly unknown[]): Promise<Row[]>;
}

/** A connection within one transaction. Statements may be handed over without waiting for the one before. */
export interface Session extends Reader {
  /** Answers how many rows the statement changed. */
  run(statement: Statement<unknown>, values?: readonly unknown[]): Promise<number>;
  /** Runs a script of plain SQL. */
  script(text: string): Promise<void>;
}

/** How one try ended. */
export type Attempt<T> =
  | { readonly end: "committed"; readonly result: T }
  | { readonly end: "undone"; readonly error: unknown; readonly again: boolean }
  | { readonly end: "unknown"; readonly error: unknown; readonly result: T | undefined };

/**
 * The part of a statement that gives the transaction its id. An INSERT that reads from it draws its arrival numbers after
 * that: by the id, readers know that they have to wait for it (see `reading.ts`).
 */
export const withId = "begun AS MATERIALIZED (SELECT pg_current_xact_id())";

/** A connection that is lent for one transaction. */
export class Lent implements Session {
  readonly #client: PoolClient;
  readonly #prepares: boolean;
  readonly #deadline: number;
  lost = false;
  unprepared = false;
  #contended = false;
  #failed = false;

  constructor(client: PoolClient, prepares: boolean, deadline: number) {
    this.#client = client;
    this.#prepares = prepares;
    this.#deadline = deadline;
  }

  async inOneTrip<Row>(
    begin: string,
    first: Bound | undefined,
    statement: Statement<Row>,
    values: readonly unknown[],
  ): Promise<Attempt<Row[]>> {
    const [begun, locked, done, ended] = await Promise.allSettled([
      this.#ask({ text: begin }),
      first && this.run(first.statement, first.values),
      this.all(statement, values),
      this.#ask({ text: "COMMIT" }),
    ]);
    for (const one of [begun, locked, done]) {
      if (one.status === "rejected" && isAnswer(one.reason)) return this.#undone(one.reason);
    }
    // All of it was sent at once, so the server may have committed although no answer came.
    if (done.status === "rejected") return { end: "unknown", error: done.reason, result: undefined };
    return this.#ended(ended, done.value);
  }

  async inSeveralTrips<T>(begin: string, work: (session: Session) => Promise<T>): Promise<Attempt<T>> {
    const [begun, worked] = await Promise.allSettled([this.#ask({ text: begin }), work(this)]);
    for (const one of [begun, worked]) {
      if (one.status === "fulfilled") continue;
      // The connection goes back clean, or, when that fails as well, not at all.
      if (!this.lost) await this.script("ROLLBACK").catch(() => (this.lost = true));
      return this.#undone(one.reason);
    }
    const [ended] = await Promise.allSettled([this.#ask({ text: "COMMIT" })]);
    return this.#ended(ended, (worked as PromiseFulfilledResult<T>).value);
  }

  #undone(error: unknown): Attempt<never> {
    return { end: "undone", error, again: this.lost || this.#contended || this.unprepared };
  }

  #ended<T>(ended: PromiseSettledResult<QueryResult>, result: T): Attempt<T> {
    if (ended.status === "rejected") {
      // FATAL may come after the server has committed.
      if (isAnswer(ended.reason) && !this.lost) return this.#undone(ended.reason);
      return { end: "unknown", error: ended.reason, result };
    }
    const { command } = ended.value;
    // A transaction that was doomed all along is answered so; no statement of ours lets that pass unseen.
    if (command !== "COMMIT") throw new Error(`A COMMIT was answered with ${command}.`);
    return { end: "committed", result };
  }

  async all<Row>({ name, text, arrays }: Statement<Row>, values: readonly unknown[] = []): Promise<Row[]> {
    const named = this.#prepares ? { name } : {};
    return (await this.#ask({ text, values: [...values], ...named, ...(arrays && { rowMode: "array" }) }))
      .rows as Row[];
  }

  async run({ name, text }: Statement<unknown>, values: readonly unknown[] = []): Promise<number> {
    const named = this.#prepares ? { name } : {};
    return (await this.#ask({ text, values: [...values], ...named })).rowCount ?? 0;
  }

  async script(text: string): Promise<void> {
    await this.#ask({ text });
  }

  async #ask(query: QueryConfig) {
    try {
      return await this.#client.query(this.#deadline === Infinity ? query : { ...query, ...this.#timeLeft() });
    } catch (error) {
      this.lost ||= isLost(error);
      // Only the first failure says so: the server prepares nothing that was sent behind a statement that failed.
      this.unprepared ||= !this.#failed && isUnprepared(error);
      this.#failed = true;
      this.#contended ||= isContention(error);
      throw asStorageError(error);
    }
  }

  /** The driver's option for one query. */
  #timeLeft(): { readonly query_timeout: number } {
    const left = this.#deadline - performance.now();
    return { query_timeout: Math.max(answerMsMin, Math.min(left, answerMsMax)) };
  }
}
