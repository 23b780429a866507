// A SQLite store that is moved, or filled. Holds the lock of the service and the write lock as long as it is open.
import { existsSync } from "node:fs";
import type { SQLInputValue } from "node:sqlite";
import type { MovableStore, MoveRole, Row } from "../move.ts";
import { StorageUnavailable } from "../store.ts";
import { retryWhileBusy } from "./busy.ts";
import { asUnavailable } from "./errors.ts";
import { applyPending } from "./migrate.ts";
import { connect, refusePending } from "./open-sqlite.ts";
import { lockForService } from "./service-lock.ts";

/**
 * @throws StorageUnavailable when it cannot be used, is missing (source) or a service runs on it
 * @throws SchemaTooOld (source), SchemaTooNew
 */
export async function openSqliteMove(file: string, role: MoveRole): Promise<MovableStore> {
  // Before the lock, which would make the file.
  if (role === "source" && !existsSync(file)) throw new StorageUnavailable("There is no database file to move.");
  await using opened = new AsyncDisposableStack();
  opened.use(await lockForService(file, 0));
  const connection = opened.use(await connect(file, "read-write"));
  if (role === "target") await applyPending(connection);
  else await refusePending(connection);
  await retryWhileBusy(() => connection.begin());
  if (role === "target") connection.execute("DELETE FROM store");
  const held = opened.move();

  const usable = async <T>(work: () => T): Promise<T> => {
    try {
      return work();
    } catch (error) {
      throw asUnavailable(error) ?? error;
    }
  };
  // SQLite's numbered parameters are `?1`, `?2` …
  const query: MovableStore["query"] = (text, values = []) =>
    usable(() => connection.query<Row>(text.replaceAll("$", "?"), ...values));
  return {
    query,
    insert: ({ name }, rows) =>
      usable(() => {
        const columns = Object.keys(rows[0] ?? {});
        const places = columns.map(() => "?").join();
        const insert = connection.prepare<readonly SQLInputValue[]>(
          `INSERT INTO ${name} (${columns.join()}) VALUES (${places})`,
        );
        for (const row of rows) insert.run(...columns.map((column) => row[column] ?? null));
      }),
    async lastNumber({ name }) {
      const [row] = await query("SELECT seq FROM sqlite_sequence WHERE name = $1", [name]);
      return Number(row?.["seq"] ?? 0);
    },
    async continueBehind({ name }, lastNumber) {
      await query("DELETE FROM sqlite_sequence WHERE name = $1", [name]);
      await query("INSERT INTO sqlite_sequence (name, seq) VALUES ($1, $2)", [name, lastNumber]);
    },
    commit: () => usable(() => connection.commit()),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}
