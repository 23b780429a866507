// SQLite for the contract suite: a real file in a folder of its own for each test. Reaches past the port only for what
// the port cannot do.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { emailKey } from "../../shared/src/fields.ts";
import { openStore, type OpenStore } from "../../server/src/storage/open-store.ts";
import type { Store } from "../../server/src/storage/store.ts";
import { noon } from "./records.ts";
import type { StoreUnderTest } from "./store-under-test.ts";

export interface SqliteUnderTest extends StoreUnderTest {
  readonly store: OpenStore;
  readonly file: string;
  /** Looks at the database, or changes it, through a connection of its own. */
  raw<T>(use: (database: DatabaseSync) => T): T;
}

/** A folder that is removed with everything in it. */
export async function openFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), "sqlite-store-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

export async function openSqliteUnderTest(): Promise<SqliteUnderTest> {
  const folder = await openFolder();
  const file = join(folder.path, "data", "submissions.db");
  const stores: Store[] = [];
  const open = async () => {
    const store = await openStore({ kind: "sqlite", file });
    stores.push(store);
    return store;
  };
  const raw = <T>(use: (database: DatabaseSync) => T): T => useRaw(file, use);
  return {
    store: await open(),
    folder: folder.path,
    file,
    raw,
    openAgain: open,
    fillDay: async (kind, day, free) => raw((database) => fillDay(database, kind, day, free)),
    spoilMail: async (id, column) =>
      raw((database) => void database.prepare(`UPDATE mail SET ${column} = '{"' WHERE id = ?`).run(id)),
    setSubscriber: async (email, status, at) =>
      raw((database) => {
        const set = "UPDATE subscriber SET status = ?, unsubscribed_at = ? WHERE email_key = ?";
        database.prepare(set).run(status, status === "unsubscribed" ? at : null, emailKey(email));
      }),
    async [Symbol.asyncDispose]() {
      for (const store of stores) await store[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

export function useRaw<T>(file: string, use: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(file, { timeout: 5_000 });
  try {
    return use(database);
  } finally {
    database.close();
  }
}

/** One statement, so that a million rows take seconds. */
function fillDay(database: DatabaseSync, kind: "INQ" | "APP", day: string, free: readonly number[]): void {
  const columns = "reference, received_at, door, request_id, status, email";
  const [table, more, values] =
    kind === "INQ"
      ? ["inquiry", "name, selected_package_ids", "'Ann', '[]'"]
      : ["application", "full_name, position", "'Ana', 'Annotator'"];
  database
    .prepare(
      `WITH RECURSIVE number (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n < 999999)
       INSERT INTO ${table} (${columns}, ${more})
       SELECT ? || format('%06d', n), ?, 'rest', 'r', 'new', 'a@example.org', ${values} FROM number
       WHERE n NOT IN (SELECT value FROM json_each(?))`,
    )
    .run(`${kind}-${day}-`, noon, JSON.stringify(free));
}
