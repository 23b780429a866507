// PostgreSQL for the contract suite: a database for each test file, on the server of the run. Reaches past the port only
// for what the port cannot do.
import { inject } from "vitest";
import { openStore } from "../../server/src/storage/open-store.ts";
import type { Store } from "../../server/src/storage/store.ts";
import { openFolder } from "../support/folder.ts";
import { type PostgresDatabase, PostgresDatabases, type PostgresSession } from "../support/postgres-server.ts";
import { shortcutsOf, storeTest, type StoreUnderTest } from "./store-under-test.ts";

export interface PostgresUnderTest extends StoreUnderTest {
  readonly database: PostgresDatabase;
}

/** Where a store without a replica is. */
export const locate = (url: string, poolMax = 4) => ({ kind: "postgres", url, replicaUrl: null, poolMax }) as const;

/** A database of the run's server; it goes with the server unless it is disposed of. */
export const createDatabase = (kind?: "migrated" | "empty"): Promise<PostgresDatabase> =>
  new PostgresDatabases(inject("postgresUrl")).create(kind);

// One for a file: emptying it is quicker than making another one.
let fileDatabase: Promise<{ readonly database: PostgresDatabase; readonly session: PostgresSession }> | undefined;

async function openDatabase() {
  const database = await createDatabase();
  return { database, session: await database.connect() };
}

// What refers to these goes with them, but a digest refers to nothing. Quicker than TRUNCATE for few rows.
const empty = [
  "mail",
  "submission",
  "subscriber",
  "day_counter",
  "suppression",
  "idempotency",
  "spent_challenge",
  "day_count",
  "erased_resume",
  "operator",
  "api_token",
  "webhook_delivery",
  "webhook",
].map((table) => `DELETE FROM ${table}`);

const startAgain = [
  "submission_arrival_seq",
  "subscriber_arrival_seq",
  "mail_id_seq",
  "note_id_seq",
  "operator_id_seq",
  "api_token_id_seq",
  "audit_id_seq",
  "webhook_id_seq",
  "webhook_delivery_id_seq",
].map((sequence) => `setval('${sequence}', 1, false)`);

const emptyAll = [
  ...empty,
  // The audit log refuses this otherwise.
  "SET session_replication_role = replica",
  "DELETE FROM audit",
  "RESET session_replication_role",
  `SELECT ${startAgain.join()}`,
  "UPDATE search_progress SET indexed_to = 0",
].join("; ");

/** @param of `file` shares one database with the other tests of the file, emptied */
export async function openPostgresUnderTest(of: "test" | "file" = "file"): Promise<PostgresUnderTest> {
  const folder = await openFolder();
  const { database, session } = await (of === "test" ? openDatabase() : (fileDatabase ??= openDatabase()));
  if (of === "file") await session.query(emptyAll);
  const stores: Store[] = [];
  const open = async () => {
    const store = await openStore(locate(database.url));
    stores.push(store);
    return store;
  };
  const query = (statement: string) => session.query(statement);
  return {
    ...shortcutsOf(query),
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

/** A `test` with a database of its own, whatever becomes of that. */
export const postgresTest = storeTest(() => openPostgresUnderTest("test")).extend(
  "database",
  ({ tested }) => tested.database,
);
