// Behind a pooler that lends connections by transaction, PostgreSQL keeps what it promises.
import { createServer } from "node:net";
import { expect, test } from "vitest";
import { openStore } from "../../server/src/storage/open-store.ts";
import { LendingPooler } from "../support/lending-pooler.ts";
import { listening } from "../support/listening.ts";
import { createDatabase, locate } from "./postgres-under-test.ts";
import { accept, allMails, application, inquiries, inquiry, lease, noon, offer, subscription } from "./records.ts";

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
  expect(noted).toEqual([{ how: "on", connections: 3 }]);

  // As any other client of the pooler would see it.
  const names = ["enable_seqscan", "plan_cache_mode", "statement_timeout", "synchronous_commit"];
  for (let n = 0; n < 3; n += 1) {
    const settings = names.map((name) => `current_setting('${name}') AS ${name}`).join(", ");
    expect(await pooler.ask(`SELECT ${settings}`, database.name)).toEqual([
      { enable_seqscan: "on", plan_cache_mode: "auto", statement_timeout: "0", synchronous_commit: "off" },
    ]);
  }
});

// What PgBouncer sends when a transaction begins: its last word, with SQLSTATE 08P01.
test("a pooler in statement mode is named when the store is opened", async () => {
  const refusal = Buffer.from("SFATAL\0C08P01\0Mtransaction blocks not allowed in statement pooling mode\0\0");
  const head = Buffer.from("E\0\0\0\0");
  head.writeInt32BE(refusal.length + 4, 1);
  const server = createServer((socket) => {
    socket.once("data", () => {
      socket.write(Buffer.from("R\0\0\0\b\0\0\0\0Z\0\0\0\x05I", "latin1"));
      socket.once("data", () => socket.end(Buffer.concat([head, refusal])));
    });
  });
  await using pooler = await listening(server);
  await expect(openStore(locate(pooler.url.replace("http", "postgres")))).rejects.toMatchObject({
    name: "StorageUnavailable",
    message: expect.stringContaining("a pooler in statement mode"),
  });
});
