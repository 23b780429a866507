// One transaction on one connection. Messages are sent without waiting for the answer to the one before,
// so that a transaction of one statement is one round trip. Knows no table.
import type { PoolClient, QueryConfig, QueryResult } from "pg";
import { asStorageError, isAnswer, isContention, isLost, isUnprepared } from "./errors.ts";
import type { Statement } from "./statement.ts";

/** The wait for an answer when a caller has a deadline: less when it is near, and this little when it has passed. */
const answerMsMax = 4_000;
const answerMsMin = 500;

export interface Reader {
  all<Row>(statement: Statement<Row>, values?: readonly unknown[]): Promise<Row[]>;
}

/** A connection within one transaction. Statements may be handed over without waiting for the one before. */
export type Session = Pick<LeasedConnection, "all" | "last" | "script">;

export type Attempt<T> =
  | { readonly end: "committed"; readonly result: T }
  | { readonly end: "undone"; readonly error: unknown; readonly again: boolean }
  | { readonly end: "unknown"; readonly error: unknown; readonly result: T | undefined };

export class LeasedConnection implements Reader {
  readonly #client: PoolClient;
  readonly #prepares: boolean;
  readonly #deadline: number;
  readonly #last: (readonly [statement: Statement<unknown>, values: readonly unknown[]])[] = [];
  lost = false;
  unprepared = false;
  #contended = false;
  #failed = false;

  constructor(client: PoolClient, prepares: boolean, deadline: number) {
    this.#client = client;
    this.#prepares = prepares;
    this.#deadline = deadline;
  }

  /** @param begin the first message of the transaction */
  async inOneTrip<Row>(begin: string, statement: Statement<Row>, values: readonly unknown[]): Promise<Attempt<Row[]>> {
    const [begun, rows] = [this.#ask({ text: begin }), this.all(statement, values)];
    return this.#commit([begun, rows], rows);
  }

  /** @param begin the first message of the transaction */
  async inSeveralTrips<T>(begin: string, work: (session: Session) => Promise<T>): Promise<Attempt<T>> {
    const begun = this.#ask({ text: begin });
    const [began, worked] = await Promise.allSettled([begun, work(this)]);
    for (const one of [began, worked]) {
      if (one.status === "fulfilled") continue;
      // The connection goes back clean, or, when that fails as well, not at all.
      if (!this.lost) await this.script("ROLLBACK").catch(() => (this.lost = true));
      return this.#undone(one.reason);
    }
    const last = this.#last.map(([statement, values]) => this.all(statement, values));
    return this.#commit(last, (worked as PromiseFulfilledResult<T>).value);
  }

  /**
   * Ends the transaction.
   * @param sent statements whose answers are not there yet
   * @param result one of them, or what is known already
   */
  async #commit<T>(sent: readonly Promise<unknown>[], result: T | Promise<T>): Promise<Attempt<T>> {
    const ends = await Promise.allSettled([...sent, this.#ask({ text: "COMMIT" })]);
    const failed = ends.find((end) => end.status === "rejected");
    const [known] = await Promise.allSettled([result]);
    if (failed !== undefined) {
      const ended = ends.at(-1);
      // The server did not get to the COMMIT. When COMMIT itself is answered so, FATAL may come after it has committed.
      if (isAnswer(failed.reason) && (failed !== ended || !this.lost)) return this.#undone(failed.reason);
      return { end: "unknown", error: failed.reason, result: known.status === "fulfilled" ? known.value : undefined };
    }
    const { command } = (ends.at(-1) as PromiseFulfilledResult<QueryResult>).value;
    // A transaction that was doomed all along is answered so; no statement of ours lets that pass unseen.
    if (command !== "COMMIT") throw new Error(`A COMMIT was answered with ${command}.`);
    return { end: "committed", result: (known as PromiseFulfilledResult<Awaited<T>>).value as T };
  }

  #undone(error: unknown): Attempt<never> {
    return { end: "undone", error, again: this.lost || this.#contended || this.unprepared };
  }

  async all<Row>({ name, text }: Statement<Row>, values: readonly unknown[] = []): Promise<Row[]> {
    const named = this.#prepares ? { name } : {};
    return (await this.#ask({ text, values: [...values], ...named })).rows as Row[];
  }

  /** Hands over a statement to be sent with COMMIT. */
  last(statement: Statement<unknown>, values: readonly unknown[]): void {
    this.#last.push([statement, values]);
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

  #timeLeft(): { readonly query_timeout: number } {
    const left = this.#deadline - performance.now();
    return { query_timeout: Math.max(answerMsMin, Math.min(left, answerMsMax)) };
  }
}
