// Finds out whether a server commits again that has left a COMMIT without an answer: a synchronous standby may be away, or
// a disk may hang. The server goes on with such a COMMIT after the connection was closed, so that each one that is given
// up leaves a process behind there. Until a probe commits no more connections are lent.
import { setTimeout as pause } from "node:timers/promises";
import { Client, type ClientConfig, DatabaseError } from "pg";

/** How often it is looked whether the server still knows the probe. */
const lookMs = 2_000;

export class CommitProbe {
  readonly #config: ClientConfig;
  readonly #answerMs: number;
  readonly #clients = new Set<Client>();
  #waiting: Promise<void> | null = null;
  #isClosed = false;

  /** @param answerMs how long an answer to anything but the COMMIT is waited for */
  constructor(config: ClientConfig, answerMs: number) {
    this.#config = config;
    this.#answerMs = answerMs;
  }

  /** Resolves when the server commits; null when nothing else is known. */
  get waiting(): Promise<void> | null {
    return this.#waiting;
  }

  start(): void {
    if (this.#isClosed) return;
    this.#waiting ??= this.#run().finally(() => (this.#waiting = null));
  }

  close(): void {
    this.#isClosed = true;
    for (const client of this.#clients) void client.end().catch(() => {});
  }

  async #run(): Promise<void> {
    while (!this.#isClosed && !(await this.#hasCommitted())) await pause(lookMs, undefined, { ref: false });
  }

  /** Waits as long as the server knows the probe. */
  #hasCommitted(): Promise<boolean> {
    return this.#connected(0, async (client) => {
      await client.query("BEGIN; SET LOCAL synchronous_commit = on");
      const [process] = (await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid")).rows;
      const committed = client.query("SELECT pg_logical_emit_message(true, 'submissions', 'probe'); COMMIT").then(
        () => true,
        // An answer, whatever it says: the server does not hang.
        (error: unknown) => error instanceof DatabaseError,
      );
      return await Promise.race([committed, this.#isForgotten(process?.pid ?? 0, committed)]);
    });
  }

  /** Resolves with false once the server is reached and does not know a process of its own. */
  async #isForgotten(pid: number, committed: Promise<boolean>): Promise<boolean> {
    let isOver = false;
    void committed.then(() => (isOver = true));
    for (;;) {
      await pause(lookMs, undefined, { ref: false });
      if (isOver || this.#isClosed) return false;
      const known = "SELECT 1 FROM pg_stat_activity WHERE pid = $1";
      const isGone = async (client: Client) => (await client.query(known, [pid])).rowCount === 0;
      if (await this.#connected(this.#answerMs, isGone)) return false;
    }
  }

  /** What is asked on a connection of its own; false when the server cannot be reached. */
  async #connected(answerMs: number, ask: (client: Client) => Promise<boolean>): Promise<boolean> {
    const client = new Client({ ...this.#config, query_timeout: answerMs, connectionTimeoutMillis: this.#answerMs });
    client.on("error", () => {});
    this.#clients.add(client);
    try {
      await client.connect();
      return await ask(client);
    } catch {
      return false;
    } finally {
      this.#clients.delete(client);
      void client.end().catch(() => {});
    }
  }
}
