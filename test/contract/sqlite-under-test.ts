// SQLite for the contract suite, in a real file. Reaches past the port only for what the port cannot do.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openStore } from "../../server/src/storage/open-store.ts";
import type { Store } from "../../server/src/storage/store.ts";
import { openFolder } from "../support/folder.ts";
import { shortcutsOf, storeTest, type StoreUnderTest } from "./store-under-test.ts";

export interface SqliteUnderTest extends StoreUnderTest {
  readonly file: string;
  /** Looks at the database, or changes it, through a connection of its own. */
  raw<T>(use: (database: DatabaseSync) => T): T;
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
  const query = async (text: string) =>
    raw((database) =>
      database
        .prepare(text)
        .all()
        .map((row) => ({ ...row })),
    );
  return {
    ...shortcutsOf(query),
    store: await open(),
    folder: folder.path,
    file,
    raw,
    openAgain: open,
    async failMailsOf(kind) {
      const fail = "SELECT RAISE(ABORT, 'told to fail')";
      await query(`CREATE TRIGGER failing BEFORE INSERT ON mail WHEN new.kind = '${kind}' BEGIN ${fail}; END`);
      return { [Symbol.asyncDispose]: async () => void (await query("DROP TRIGGER failing")) };
    },
    forgetWords: async () =>
      raw((database) =>
        database.exec(`
          DELETE FROM search_who; DELETE FROM search_letter; UPDATE search_progress SET backlog_to = words_to`),
      ),
    empty: async () => raw(empty),
    async [Symbol.asyncDispose]() {
      for (const store of stores) await store[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

function empty(database: DatabaseSync): void {
  const names = database.prepare(`
    SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'search\\_%' ESCAPE '\\'
      AND name NOT IN ('store', 'schema_migration')`);
  const audited = database.prepare("SELECT 1 FROM audit").get() !== undefined;
  const guard = database.prepare("SELECT sql FROM sqlite_schema WHERE name = 'audit_is_not_deleted'").get();
  database.exec(`
    PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE;
    ${audited ? "DROP TRIGGER audit_is_not_deleted;" : ""}
    ${names
      .all()
      .map(({ name }) => `DELETE FROM ${String(name)};`)
      .join(" ")}
    ${audited ? `${String(guard?.["sql"])};` : ""}
    DELETE FROM erased_resume;
    DELETE FROM search_who;
    DELETE FROM search_letter;
    UPDATE search_progress SET words_to = 0, backlog_to = 0, removed = 0;
    COMMIT`);
}

export function useRaw<T>(file: string, use: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(file, { timeout: 5_000 });
  try {
    return use(database);
  } finally {
    database.close();
  }
}

export const sqliteTest = storeTest(openSqliteUnderTest);
