// PostgreSQL for the contract suite. Reaches past the port only for what the port cannot do.
import { openStore } from "../../server/src/storage/open-store.ts";
import type { Store } from "../../server/src/storage/store.ts";
import { openFolder } from "../support/folder.ts";
import { postgresOfTheRun } from "../support/postgres-of-the-run.ts";
import { type PostgresDatabase, type PostgresServer, startPostgres } from "../support/postgres-server.ts";
import { createDatabase } from "../support/service-database.ts";
import { reusingTest, shortcutsOf, type StoreUnderTest } from "./store-under-test.ts";

export interface PostgresUnderTest extends StoreUnderTest {
  readonly database: PostgresDatabase;
}

export const locate = (url: string, poolMax = 4) => ({ kind: "postgres", url, poolMax }) as const;

export async function startOwnServer(): Promise<PostgresServer> {
  const { data } = await postgresOfTheRun();
  const server = await startPostgres({ from: data });
  if (data === null) await server.makeTemplate();
  return server;
}

// All at once, and without what the audit log and foreign keys do. Quicker than TRUNCATE for few rows.
const emptyAll = `DO $$ DECLARE name text; BEGIN
  SET LOCAL session_replication_role = replica;
  FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public'
    AND tablename NOT IN ('store', 'schema_migration', 'search_progress')
  LOOP EXECUTE 'DELETE FROM ' || name; END LOOP;
  PERFORM setval(sequencename::regclass, 1, false) FROM pg_sequences WHERE schemaname = 'public';
  UPDATE search_progress SET indexed_to = 0, words_to = 0, backlog_to = 0;
END $$`;

export async function openPostgresUnderTest(): Promise<PostgresUnderTest> {
  const folder = await openFolder();
  const database = await createDatabase();
  const { query } = database;
  const stores: Store[] = [];
  const open = async () => {
    const store = await openStore(locate(database.url));
    stores.push(store);
    return store;
  };
  return {
    ...shortcutsOf(query),
    forgetWords: async () =>
      void (await query(`
        UPDATE submission_search SET who = '', letter = ''; UPDATE search_progress SET backlog_to = words_to`)),
    empty: async () => void (await query(emptyAll)),
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
      for (const one of [database, folder]) await one[Symbol.asyncDispose]();
    },
  };
}

/** A test that leaves the schema and the settings of its database as they were. */
export const postgresTest = reusingTest(openPostgresUnderTest).extend("database", ({ tested }) => tested.database);
