// A SQLite store that is copied, or filled.
import type { SQLInputValue } from "node:sqlite";
import type { MovableStore, MoveRole, Row } from "../move.ts";
import { asUnavailable, retryWhileBusy } from "./errors.ts";
import { applyPending } from "./migrate.ts";
import { connect, refusePending } from "./open-sqlite.ts";
import { lockForService } from "./service-lock.ts";

/** See `openMovable`. */
export async function openSqliteMove(file: string, role: MoveRole): Promise<MovableStore> {
  await using opened = new AsyncDisposableStack();
  if (role === "target") opened.use(await lockForService(file, 0));
  const connection = opened.use(await connect(file, role === "source" ? "read-only" : "read-write"));
  if (role === "source") {
    await refusePending(connection);
    connection.execute("BEGIN");
    // From here on the connection sees the rows of this moment, and those who write do not wait for it.
    await retryWhileBusy(() => connection.query("SELECT 1 FROM store"));
  } else {
    await applyPending(connection);
    await retryWhileBusy(() => connection.begin());
  }
  const held = opened.move();

  const usable = <T>(work: () => T) =>
    Promise.try(work).catch((error: unknown) => Promise.reject(asUnavailable(error) ?? error));
  // SQLite's numbered parameters are `?1`, `?2` …
  const query: MovableStore["query"] = (text, values = []) =>
    usable(() => connection.query<Row>(text.replaceAll("$", "?"), ...values));
  return {
    query,
    insert: ({ name }, rows) =>
      usable(() => {
        const columns = Object.keys(rows[0] ?? {});
        const places = columns.map(() => "?").join();
        const insert = connection.prepare<readonly SQLInputValue[]>(`
          INSERT INTO ${name} (${columns.join()}) VALUES (${places})`);
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
    commit: () =>
      usable(() => {
        connection.commit();
        // One file, which can be read where nothing may be written.
        if (role === "backup") connection.execute("PRAGMA journal_mode = DELETE");
      }),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}
