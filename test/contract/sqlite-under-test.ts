// SQLite for the contract suite: a real file in a folder of its own for each test. Reaches past the port only for what
// the port cannot do.
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { emailKey } from "../../shared/src/fields.ts";
import { openStore } from "../../server/src/storage/open-store.ts";
import type { Store } from "../../server/src/storage/store.ts";
import { openFolder } from "../support/folder.ts";
import type { StoreUnderTest } from "./store-under-test.ts";

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
  const change = async (text: string, ...values: SQLInputValue[]) =>
    raw((database) => void database.prepare(text).run(...values));
  return {
    store: await open(),
    folder: folder.path,
    file,
    raw,
    openAgain: open,
    query: async (text) =>
      raw((database) =>
        database
          .prepare(text)
          .all()
          .map((row) => ({ ...row })),
      ),
    setTaken: (kind, day, taken) =>
      change("INSERT OR REPLACE INTO day_counter (kind, day, taken) VALUES (?, ?, ?)", kind, day, taken),
    deleteSubmission: (reference) => change("DELETE FROM submission WHERE reference = ?", reference),
    deleteSubscriber: (email) => change("DELETE FROM subscriber WHERE email_key = ?", emailKey(email)),
    spoilFields: (reference, fields) =>
      change("UPDATE submission SET fields = ? WHERE reference = ?", fields, reference),
    spoilTokens: (tokens) => change("UPDATE mail SET tokens = ? WHERE tokens IS NOT NULL", tokens),
    async failMailsOf(kind) {
      const fail = "SELECT RAISE(ABORT, 'told to fail')";
      await change(`CREATE TRIGGER failing BEFORE INSERT ON mail WHEN new.kind = '${kind}' BEGIN ${fail}; END`);
      return { [Symbol.asyncDispose]: () => change("DROP TRIGGER failing") };
    },
    setSubscriber: (email, status, at) =>
      change(
        "UPDATE subscriber SET status = ?, unsubscribed_at = ? WHERE email_key = ?",
        status,
        status === "unsubscribed" ? at : null,
        emailKey(email),
      ),
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
