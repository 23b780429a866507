// PostgreSQL for the contract suite: a database for each test file, on the server of the run. Reaches past the port only
// for what the port cannot do.
import { inject } from "vitest";
import { openStore } from "../../server/src/storage/open-store.ts";
import type { Store } from "../../server/src/storage/store.ts";
import { openFolder } from "../support/folder.ts";
import {
  type PostgresDatabase,
  PostgresDatabases,
  type PostgresServer,
  type PostgresSession,
  startPostgres,
} from "../support/postgres-server.ts";
import { shortcutsOf, storeTest, type StoreUnderTest } from "./store-under-test.ts";

export interface PostgresUnderTest extends StoreUnderTest {
  readonly database: PostgresDatabase;
}

/** Where a store is. */
export const locate = (url: string, poolMax = 4) => ({ kind: "postgres", url, poolMax }) as const;

/** A database of the run's server; it goes with the server unless it is disposed of. */
export const createDatabase = (kind?: "migrated" | "empty"): Promise<PostgresDatabase> =>
  new PostgresDatabases(inject("postgresUrl")).create(kind);

/** A server of a test's own, for what would disturb others. */
export async function startOwnServer(): Promise<PostgresServer> {
  const data = inject("postgresData");
  const server = await startPostgres({ from: data });
  if (data === null) await server.makeTemplate();
  return server;
}

// One for a file: emptying it is quicker than making another one.
let fileDatabase: Promise<{ readonly database: PostgresDatabase; readonly session: PostgresSession }> | undefined;

async function openDatabase() {
  const database = await createDatabase();
  return { database, session: await database.connect() };
}

// All at once, and without what the audit log and foreign keys do. Quicker than TRUNCATE for few rows.
const emptyAll = `DO $$ DECLARE name text; BEGIN
  SET LOCAL session_replication_role = replica;
  FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public'
    AND tablename NOT IN ('store', 'schema_migration', 'search_progress')
  LOOP EXECUTE 'DELETE FROM ' || name; END LOOP;
  PERFORM setval(sequencename::regclass, 1, false) FROM pg_sequences WHERE schemaname = 'public';
  UPDATE search_progress SET indexed_to = 0;
END $$`;

/** @param of `file` shares one database with the other tests of the file, emptied */
export async function openPostgresUnderTest(of: "test" | "file" = "file"): Promise<PostgresUnderTest> {
  const folder = await openFolder();
  const { database, session } = await (of === "test" ? openDatabase() : (fileDatabase ??= openDatabase()));
  const stores: Store[] = [];
  const open = async () => {
    const store = await openStore(locate(database.url));
    stores.push(store);
    return store;
  };
  const query = (statement: string) => session.query(statement);
  const empty = async () => void (await query(emptyAll));
  if (of === "file") await empty();
  return {
    ...shortcutsOf(query),
    empty,
    store: await open(),
    folder: folder.path,
    database,
    openAgain: open,
    async failMailsOf(kind) {
      await query(`
        CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'told to fail'; END $$;
        CREATE TRIGGER failing BEFORE INSERT ON mail FOR EACH ROW WHEN (new.kind = '${kind}') EXECUTE FUNCTION fail()`);
      return {
        [Symbol.asyncDispose]: async () => void (await query("DROP TRIGGER failing ON mail; DROP FUNCTION fail")),
      };
    },
    async [Symbol.asyncDispose]() {
      for (const store of stores) await store[Symbol.asyncDispose]();
      if (of === "test") {
        await session[Symbol.asyncDispose]();
        await database[Symbol.asyncDispose]();
      }
      await folder[Symbol.asyncDispose]();
    },
  };
}

const testOn = (of: "test" | "file") =>
  storeTest(() => openPostgresUnderTest(of)).extend("database", ({ tested }) => tested.database);

/** A `test` with a database of its own, whatever becomes of that. */
export const postgresTest = testOn("test");
/** A `test` with the database of its file, emptied. */
export const postgresFileTest = testOn("file");
