// PostgreSQL for the contract suite: a database of its own for each test, on a real server. Reaches past the port only for
// what the port cannot do.
import { inject } from "vitest";
import { emailKey } from "../../shared/src/fields.ts";
import { openStore, type OpenStore } from "../../server/src/storage/open-store.ts";
import { type PostgresDatabase, PostgresDatabases } from "../support/postgres-server.ts";
import { noon } from "./records.ts";
import { openFolder } from "./sqlite-under-test.ts";
import type { StoreUnderTest } from "./store-under-test.ts";

export interface PostgresUnderTest extends StoreUnderTest {
  readonly store: OpenStore;
  readonly database: PostgresDatabase;
  openAgain(): Promise<OpenStore>;
}

/** Where a store is that nobody reads a replica of. */
export const locate = (url: string, poolMax = 4) => ({ kind: "postgres", url, replicaUrl: null, poolMax }) as const;

// One for a file: emptying it is quicker than making another one. It goes with the server.
let fileDatabase: Promise<PostgresDatabase> | undefined;

const emptied = `TRUNCATE inquiry, application, subscriber, newsletter_token, mail, suppression, idempotency, spent_challenge`;

/** @param of `file` shares one database with the other tests of the file, emptied */
export async function openPostgresUnderTest(of: "test" | "file" = "file"): Promise<PostgresUnderTest> {
  const folder = await openFolder();
  const databases = new PostgresDatabases(inject("postgresUrl"));
  const database = await (of === "test" ? databases.create() : (fileDatabase ??= databases.create()));
  if (of === "file") await database.query(emptied);
  const stores: OpenStore[] = [];
  const open = async () => {
    const store = await openStore(locate(database.url));
    stores.push(store);
    return store;
  };
  return {
    store: await open(),
    folder: folder.path,
    database,
    openAgain: open,
    fillDay: async (kind, day, free) => void (await database.query(fillDay(kind, day, free))),
    spoilMail: async (id, column) => void (await database.query(`UPDATE mail SET ${column} = '{"' WHERE id = '${id}'`)),
    setSubscriber: async (email, status, at) =>
      void (await database.query(
        `UPDATE subscriber SET status = '${status}', unsubscribed_at = ${status === "unsubscribed" ? at : "NULL"}
         WHERE email_key = '${emailKey(email)}'`,
      )),
    async [Symbol.asyncDispose]() {
      for (const store of stores) await store[Symbol.asyncDispose]();
      if (of === "test") await database[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** One statement, so that a million rows take seconds. */
function fillDay(kind: "INQ" | "APP", day: string, free: readonly number[]): string {
  const [table, more, values] =
    kind === "INQ"
      ? ["inquiry", "name, selected_package_ids", "'Ann', '[]'"]
      : ["application", "full_name, position", "'Ana', 'Annotator'"];
  // Without the index of exports, which nobody asks here and which takes most of the time.
  return `
    DROP INDEX IF EXISTS ${table}_received;
    INSERT INTO ${table} (reference, received_at, door, request_id, status, email, ${more})
    SELECT '${kind}-${day}-' || lpad(n::text, 6, '0'), ${noon}, 'rest', 'r', 'new', 'a@example.org', ${values}
    FROM generate_series(0, 999999) AS n WHERE n <> ALL (ARRAY[${free.join(", ")}]::integer[])`;
}
