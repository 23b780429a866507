// Behind a pooler that lends connections by transaction, PostgreSQL keeps what it promises.
import { createServer, type Socket } from "node:net";
import { expect, test } from "vitest";
import { Client } from "pg";
import { lockStore, openEmpty, openStore } from "../../server/src/storage/open-store.ts";
import { openFolder } from "../support/folder.ts";
import { Listening, listening } from "../support/listening.ts";
import { createDatabase } from "../support/service-database.ts";
import { startProcess } from "../support/service-process.ts";
import { locate } from "./postgres-under-test.ts";
import { accept, allMails, application, inquiries, inquiry, lease, noon, offer, subscription } from "./records.ts";
import { messagesOf } from "../support/postgres-messages.ts";
import { nightly } from "../support/many-or-few.ts";

const [query, sync, terminate, readyForQuery] = ["Q", "S", "X", "Z"].map((type) => type.charCodeAt(0));
const idle = "I".charCodeAt(0);
/** Authentication succeeded; ready for a query, in no transaction. */
const welcome = Buffer.from("R\0\0\0\b\0\0\0\0Z\0\0\0\x05I", "latin1");

class LendingPooler extends Listening {
  readonly #backends: Client[] = [];
  readonly #free: Socket[] = [];
  readonly #waiting: (() => void)[] = [];

  /** @param url the address of a database; clients of the pooler need no password */
  static async open(url: string, connections: number): Promise<LendingPooler> {
    const pooler: LendingPooler = new LendingPooler(createServer((socket) => void pooler.#serve(socket)));
    for (let n = 0; n < connections; n += 1) {
      // As PgBouncer does, whose connections to the server keep the name of the client that had them last.
      const backend = new Client({ connectionString: url, application_name: "submissions" });
      backend.on("error", () => {});
      await backend.connect();
      const socket = (backend as unknown as { connection: { stream: Socket } }).connection.stream;
      socket.removeAllListeners("data");
      pooler.#backends.push(backend);
      pooler.#free.push(socket);
    }
    return await pooler.listen();
  }

  urlOf(database: string): string {
    return `postgres://anyone@127.0.0.1:${this.port}/${database}`;
  }

  async ask(text: string, database: string): Promise<readonly Record<string, unknown>[]> {
    const client = new Client({ connectionString: this.urlOf(database) });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(text)).rows;
    } finally {
      await client.end();
    }
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    for (const backend of this.#backends) {
      (backend as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
    }
  }

  async #serve(client: Socket): Promise<void> {
    let lent: Socket | null = null;
    let unanswered = 0;
    for await (const message of messagesOf(client, 0)) {
      if (message[0] === 0) {
        client.write(welcome);
        continue;
      }
      if (message[0] === terminate) break;
      if (message[0] === query || message[0] === sync) unanswered += 1;
      if (lent === null) {
        const backend = (lent = await this.#lend());
        void (async () => {
          for await (const answer of messagesOf(backend, 1)) {
            client.write(answer);
            if (answer[0] !== readyForQuery) continue;
            unanswered -= 1;
            if (unanswered > 0 || answer[5] !== idle) continue;
            lent = null;
            // The longest unused is lent next: never the same twice in a row.
            this.#free.push(backend);
            this.#waiting.shift()?.();
            return;
          }
        })();
      }
      lent.write(message);
    }
    // The client is gone in the middle of a transaction: the connection cannot be lent again.
    lent?.destroy();
  }

  async #lend(): Promise<Socket> {
    while (this.#free.length === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.#free.shift() as Socket;
  }
}

test("submissions are stored on stable storage, whichever connections are lent, and no setting stays behind", async () => {
  await using database = await createDatabase();
  await database.set("SET synchronous_commit = off");
  await database.query(`
    CREATE TABLE noted (how TEXT, pid INTEGER);
    CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN INSERT INTO noted VALUES (current_setting('synchronous_commit'), pg_backend_pid()); RETURN NEW; END $$;
    CREATE TRIGGER note BEFORE INSERT ON mail FOR EACH ROW EXECUTE FUNCTION note()`);
  await using pooler = await LendingPooler.open(database.url, 3);
  await using store = await openStore(locate(pooler.urlOf(database.name)));
  await using other = await openStore(locate(pooler.urlOf(database.name)));
  const key = (n: number) => ({ procedure: "p", keyHash: `${n}`, fingerprint: "f", createdAt: noon });
  for (let n = 0; n < 10; n += 1) {
    await Promise.all([
      accept(store, inquiry(n)),
      accept(other, application(n), { key: key(n) }),
      accept(store, subscription({ email: `r${n}@example.org` })),
      other.suppress({ email: `s${n}@example.org`, reason: "bounced", at: noon }),
    ]);
  }
  expect(await offer(store, inquiry(11), { key: key(1) })).toMatchObject({ result: "repeated" });
  expect(await inquiries(other)).toHaveLength(10);
  expect(await allMails(store)).toHaveLength(50);
  expect(await store.mails.claim(lease.until + 1, 100, { ...lease, owner: "other" })).toHaveLength(50);
  expect(await store.checkReadiness()).toEqual({ ready: true });
  const noted = await database.query("SELECT how, count(DISTINCT pid)::integer AS connections FROM noted GROUP BY how");
  expect(noted).toEqual([{ how: "on", connections: expect.any(Number) as number }]);
  expect(noted[0]?.["connections"]).toBeGreaterThan(1);

  // As any other client of the pooler would see it.
  const names = ["enable_seqscan", "plan_cache_mode", "statement_timeout", "synchronous_commit"];
  for (let n = 0; n < 3; n += 1) {
    const settings = names.map((name) => `current_setting('${name}') AS ${name}`).join(", ");
    expect(await pooler.ask(`SELECT ${settings}`, database.name)).toEqual([
      { enable_seqscan: "on", plan_cache_mode: "auto", statement_timeout: "0", synchronous_commit: "off" },
    ]);
  }
});

nightly(
  "a restore is refused while a service runs behind the pooler, and not once it has ended or was killed",
  async () => {
    await using database = await createDatabase();
    await using pooler = await LendingPooler.open(database.url, 12);
    await using folder = await openFolder();
    const restore = async (url: string) => {
      await using _target = await openEmpty(locate(url));
    };
    const through = pooler.urlOf(database.name);
    const ends = [
      ["SIGTERM", through],
      ["SIGKILL", database.url],
    ] as const;
    for (const [signal, url] of ends) {
      await using service = await startProcess({ DATABASE_URL: through }, { dataFolder: folder.path });
      await expect(restore(url)).rejects.toThrow("A service or a command is connected");
      service.child.kill(signal);
      await service.ended;
      await restore(url);
    }
  },
);

test("a service whose lock was lost takes it again", async () => {
  await using database = await createDatabase();
  await using _lock = await lockStore(locate(database.url));
  const holders =
    "SELECT pid FROM pg_stat_activity WHERE application_name = 'submissions lock' AND state LIKE 'idle in%'";
  const [before] = await database.query(holders);
  await database.query(`SELECT pg_terminate_backend(${Number(before?.["pid"])})`);
  const others = async () => (await database.query(holders)).filter(({ pid }) => pid !== before?.["pid"]);
  await expect.poll(others).toHaveLength(1);
  await expect(openEmpty(locate(database.url))).rejects.toThrow("A service or a command is connected");
});

// What PgBouncer sends when a transaction begins: its last word, with SQLSTATE 08P01.
test("a pooler in statement mode is named when the store is opened", async () => {
  const refusal = Buffer.from("SFATAL\0C08P01\0Mtransaction blocks not allowed in statement pooling mode\0\0");
  const head = Buffer.from("E\0\0\0\0");
  head.writeInt32BE(refusal.length + 4, 1);
  const server = createServer((socket) => {
    socket.once("data", () => {
      socket.write(welcome);
      socket.once("data", () => socket.end(Buffer.concat([head, refusal])));
    });
  });
  await using pooler = await listening(server);
  await expect(openStore(locate(pooler.url.replace("http", "postgres")))).rejects.toMatchObject({
    name: "StorageUnavailable",
    message: expect.stringContaining("a pooler in statement mode"),
  });
});
