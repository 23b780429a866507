// Opens the stores that are copied and filled.
import { OperatorError } from "../operator-error.ts";
import { type MovableStore, movedTables, type MoveRole } from "./move.ts";
import type { StoreLocation } from "./open-store.ts";

/**
 * Made and migrated if need be, to be filled in one transaction.
 *
 * @throws OperatorError when it is not empty
 * @throws StorageUnavailable when it cannot be used, or a service runs on it
 */
export async function openEmpty(location: StoreLocation, role: "target" | "backup" = "target"): Promise<MovableStore> {
  await using opened = new AsyncDisposableStack();
  const target = opened.use(await openMovable(location, role));
  // A service that was only started has written them.
  for (const name of ["store", "day_count"]) await target.query(`DELETE FROM ${name}`);
  for (const { name } of movedTables) {
    if ((await target.query(`SELECT 1 AS one FROM ${name} LIMIT 1`)).length === 0) continue;
    throw new OperatorError(`The store is not empty: its table ${name} has rows. Nothing was changed.`);
  }
  opened.move();
  return target;
}

/**
 * @throws StorageUnavailable when it cannot be used or is missing (source), or a service runs on it (target)
 * @throws SchemaTooOld (source), SchemaTooNew when its schema is not that of this version
 */
export async function openMovable(location: StoreLocation, role: MoveRole): Promise<MovableStore> {
  if (location.kind === "sqlite") return (await import("./sqlite/move.ts")).openSqliteMove(location.file, role);
  return (await import("./postgres/move.ts")).openPostgresMove(location, role);
}
