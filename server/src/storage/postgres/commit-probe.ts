// Finds out whether a server commits again that has left a COMMIT without an answer: a synchronous standby may be away, or
// a disk may hang. The server goes on with such a COMMIT after the connection was closed, so that each one that is given
// up leaves a process behind there. Until a probe commits no more connections are lent.
import { setTimeout as pause } from "node:timers/promises";
import { Client, type ClientConfig, DatabaseError } from "pg";

/** How often it is looked whether the server still knows the probe. */
const lookMs = 2_000;

/** @param answerMs how long an answer to anything but the COMMIT is waited for */
export function makeCommitProbe(config: ClientConfig, answerMs: number) {
  const clients = new Set<Client>();
  let waiting: Promise<void> | null = null;
  let isClosed = false;

  async function run(): Promise<void> {
    const isOver = async () => isClosed || (await hasCommitted());
    while (!(await isOver())) await pause(lookMs, undefined, { ref: false });
  }

  /** Waits as long as the server knows the probe. */
  const hasCommitted = (): Promise<boolean> =>
    connected(0, async (client) => {
      await client.query("BEGIN; SET LOCAL synchronous_commit = on");
      const [process] = (await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid")).rows;
      const committed = client.query("SELECT pg_logical_emit_message(true, 'submissions', 'probe'); COMMIT").then(
        () => true,
        // An answer, whatever it says: the server does not hang.
        (error: unknown) => error instanceof DatabaseError,
      );
      return await Promise.race([committed, isForgotten(process?.pid ?? 0, committed)]);
    });

  /** Resolves with false once the server is reached and does not know a process of its own. */
  async function isForgotten(pid: number, committed: Promise<boolean>): Promise<boolean> {
    let isOver = false;
    void committed.then(() => (isOver = true));
    for (;;) {
      await pause(lookMs, undefined, { ref: false });
      if (isOver || isClosed) return false;
      const known = "SELECT 1 FROM pg_stat_activity WHERE pid = $1";
      const isGone = async (client: Client) => (await client.query(known, [pid])).rowCount === 0;
      if (await connected(answerMs, isGone)) return false;
    }
  }

  /** What is asked on a connection of its own; false when the server cannot be reached. */
  async function connected(queryMs: number, ask: (client: Client) => Promise<boolean>): Promise<boolean> {
    const client = new Client({ ...config, query_timeout: queryMs, connectionTimeoutMillis: answerMs });
    client.on("error", () => {});
    clients.add(client);
    try {
      await client.connect();
      return await ask(client);
    } catch {
      return false;
    } finally {
      clients.delete(client);
      void client.end().catch(() => {});
    }
  }

  return {
    /** Resolves when the server commits; null when nothing else is known. */
    get waiting() {
      return waiting;
    },

    start(): void {
      if (!isClosed) waiting ??= run().finally(() => (waiting = null));
    },

    close(): void {
      isClosed = true;
      for (const client of clients) void client.end().catch(() => {});
    },
  };
}
