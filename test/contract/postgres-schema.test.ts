// Migrations and rights on PostgreSQL: processes of two releases may start at once, with no more rights than they use.
import { describe, expect, test } from "vitest";
import { migrate, openStore, pendingMigrations } from "../../server/src/storage/open-store.ts";
import { addressOf } from "../../server/src/storage/postgres/address.ts";
import { Connections } from "../../server/src/storage/postgres/connections.ts";
import { applyPending, postgresMigrations } from "../../server/src/storage/postgres/migrate.ts";
import { type PendingMigration, SchemaTooNew, SchemaTooOld } from "../../server/src/storage/schema-version.ts";
import { StorageUnavailable } from "../../server/src/storage/store.ts";
import { type PostgresDatabase, PostgresDatabases } from "../support/postgres-server.ts";
import { postgresOfTheRun } from "../support/postgres-of-the-run.ts";
import { createDatabase } from "../support/service-database.ts";
import { locate } from "./postgres-under-test.ts";
import { accept, inquiries, inquiry, lease, noon, offer, release } from "./records.ts";
import { nightly } from "../support/many-or-few.ts";

const names = postgresMigrations().map(({ name }) => name);
const latest = names.length;

const namesOf = (pending: readonly PendingMigration[]) => pending.map(({ name }) => name);

describe("migrations", () => {
  test("are pending on an empty database, which looking at does not change", async () => {
    await using database = await createDatabase("empty");
    expect(namesOf(await pendingMigrations(locate(database.url)))).toEqual(names);
    await expect(openStore(locate(database.url), { access: "read-only" })).rejects.toBeInstanceOf(SchemaTooOld);
    expect(await database.query("SELECT 1 FROM pg_tables WHERE schemaname = 'public'")).toEqual([]);
  });

  test("are applied by a service that starts, six of which start together", async () => {
    await using database = await createDatabase("empty");
    const location = locate(database.url, 1);
    const stores = await Promise.all(Array.from({ length: 6 }, () => openStore(location)));
    const answers = await Promise.all(stores.map((store, n) => offer(store, inquiry(n))));
    expect(new Set(answers.map(({ result }) => result))).toEqual(new Set(["accepted"]));
    expect(new Set(stores.map(({ identity }) => identity)).size).toBe(1);
    expect(await pendingMigrations(location)).toEqual([]);
    const applied = await database.query("SELECT name FROM schema_migration ORDER BY number");
    expect(applied).toEqual(names.map((name) => ({ name })));
    await Promise.all(stores.map((store) => store[Symbol.asyncDispose]()));
  });

  test("that fail leave nothing behind and are tried again", async () => {
    await using database = await createDatabase("empty");
    await database.query("CREATE TABLE spent_challenge (in_the_way INTEGER)");
    await expect(migrate(locate(database.url))).rejects.toThrow("already exists");
    expect(namesOf(await pendingMigrations(locate(database.url)))).toEqual(names);
    await database.query("DROP TABLE spent_challenge");
    expect(await migrate(locate(database.url))).toEqual(names);
  });
});

nightly(
  "a migration that waits for a table lets submissions be stored meanwhile, and says who is in the way",
  async () => {
    await using database = await createDatabase();
    await using store = await openStore(locate(database.url));
    await using connections = new Connections(addressOf(database.url), { max: 1, answerMs: 0 });
    await using dump = await database.connect();
    await dump.query("SET application_name = 'pg_dump'; BEGIN; SELECT count(*) FROM submission");
    const { promise: waits, resolve: waiting } = Promise.withResolvers<string>();
    const script = "-- needs 0001\nALTER TABLE submission ADD COLUMN later TEXT";
    const migrations = [...postgresMigrations(), { number: latest + 1, name: "later", script }];
    const applied = applyPending(connections, waiting, migrations);
    const queued = () => database.query("SELECT FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND NOT granted");
    // Nothing of ours is under way at the first try, so that only the dump can be named.
    expect(await waits).toMatch(/^The migration later waits for process \d+ \(pg_dump\)\.$/);
    expect(await accept(store, inquiry(1))).toMatchObject({ result: "accepted" });
    // What is stored during the next try queues behind it, for a second at most.
    await expect.poll(queued).toHaveLength(1);
    expect(await accept(store, inquiry(2))).toMatchObject({ result: "accepted" });
    await dump.query("COMMIT");
    expect(await applied).toEqual(["later"]);
    expect(await inquiries(store)).toHaveLength(2);
  },
);

describe("a newer release", () => {
  const migrateLater = (database: PostgresDatabase, needs: number, change: string) =>
    database.query(`${change};
      INSERT INTO schema_migration (number, name, needs, applied_at) VALUES (${latest + 1}, 'later', ${needs}, 0)`);

  test("that only added to the schema leaves this one working, old rows, new rows and defaults", async () => {
    await using database = await createDatabase();
    await using running = await openStore(locate(database.url));
    await accept(running, inquiry(1));
    await migrateLater(
      database,
      latest,
      `ALTER TABLE submission ADD COLUMN language TEXT, ADD COLUMN priority INTEGER NOT NULL DEFAULT 3;
       ALTER TABLE mail ADD COLUMN note TEXT;
       CREATE TABLE later (id INTEGER PRIMARY KEY)`,
    );
    await accept(running, inquiry(2));
    await using started = await openStore(locate(database.url));
    await accept(started, inquiry(3));
    expect(await pendingMigrations(locate(database.url))).toEqual([]);
    expect(await inquiries(started)).toMatchObject([inquiry(1), inquiry(2), inquiry(3)]);
    expect(await started.mails.claim(Number.MAX_SAFE_INTEGER, 10, lease)).toHaveLength(6);
    expect(await running.mails.claim(Number.MAX_SAFE_INTEGER, 10, { ...lease, owner: "other" })).toHaveLength(6);
    expect(await database.query("SELECT DISTINCT priority FROM submission")).toEqual([{ priority: 3 }]);
  });

  test("that changed what this one relies on is refused, and nothing is touched", async () => {
    await using database = await createDatabase();
    await migrateLater(database, latest + 1, "ALTER TABLE submission RENAME COLUMN name TO full_name");
    const location = locate(database.url);
    const expected = `has schema ${latest + 1}, this version knows ${latest}`;
    await expect(openStore(location)).rejects.toBeInstanceOf(SchemaTooNew);
    await expect(openStore(location, { access: "read-only" })).rejects.toThrow(expected);
    await expect(migrate(location)).rejects.toThrow(expected);
    await expect(pendingMigrations(location)).rejects.toThrow(expected);
  });
});

describe("a role that may only read and write rows", () => {
  async function withRole(database: PostgresDatabase) {
    const role = `${database.name}_runtime`;
    await database.query(`
      CREATE ROLE ${role} LOGIN PASSWORD 'secret';
      REVOKE CREATE ON SCHEMA public FROM PUBLIC;
      GRANT USAGE ON SCHEMA public TO ${role};
      ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO ${role};
      ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE ON SEQUENCES TO ${role};
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role};
      GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO ${role}`);
    const url = new URL(database.url);
    url.username = role;
    return {
      url: url.href,
      role,
      [Symbol.asyncDispose]: async () => void (await database.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`)),
    };
  }

  test("runs the service once another has migrated, is told before, and is refused what it lacks a right to", async () => {
    await using database = await createDatabase("empty");
    await using role = await withRole(database);
    const told = {
      name: "SchemaTooOld",
      message: expect.stringContaining("the role in DATABASE_URL may not apply them"),
    };
    await expect(openStore(locate(role.url))).rejects.toMatchObject(told);
    await expect(migrate(locate(role.url))).rejects.toMatchObject(told);
    // Without USAGE the role sees no schema at all.
    await database.query(`REVOKE USAGE ON SCHEMA public FROM PUBLIC, ${role.role}`);
    await expect(migrate(locate(role.url))).rejects.toMatchObject(told);
    await database.query(`GRANT USAGE ON SCHEMA public TO ${role.role}`);
    await migrate(locate(database.url));
    await using store = await openStore(locate(role.url));
    const { reference } = await accept(store, inquiry(1), { spam: true });
    expect(await store.checkReadiness()).toEqual({ ready: true });
    expect(await release(store, reference ?? "", noon)).toEqual({ result: "released", mails: 2 });
    expect(await store.mails.claim(noon, 10, lease)).toHaveLength(2);
    expect(await inquiries(store)).toHaveLength(1);
    expect(await store.forgetExpired(0)).toEqual({ forgotten: 0, more: false });
    await database.query(`REVOKE INSERT ON mail FROM ${role.role}`);
    await expect(offer(store, inquiry(2))).rejects.toBeInstanceOf(StorageUnavailable);
    expect(await store.checkReadiness()).toEqual({ ready: true });
    expect(await inquiries(store)).toHaveLength(1);
  });
});

test("a database of another encoding is refused", async () => {
  const server = new PostgresDatabases((await postgresOfTheRun()).url);
  const name = `latin_${process.pid}`;
  await server.administer(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'`);
  const location = locate(`${server.url}/${name}`);
  await expect(openStore(location)).rejects.toThrow("UTF8");
  await expect(pendingMigrations(location)).rejects.toThrow("UTF8");
  await server.administer(`DROP DATABASE ${name} WITH (FORCE)`);
});
