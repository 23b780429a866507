// What operators see and change, on SQLite. Changes are jobs of the store's commit queue.
import type { DeskStore } from "../desk-store.ts";
import type { References } from "../rules/references.ts";
import type { Acceptor } from "./accept.ts";
import type { Announcements } from "./announcements.ts";
import { retryWhileBusy } from "./busy.ts";
import type { SqliteConnection } from "./connection.ts";
import { prepareDeskChanges } from "./desk-changes.ts";
import { prepareDeskErase } from "./desk-erase.ts";
import { prepareDeskLists } from "./desk-lists.ts";
import { prepareDeskOverview } from "./desk-overview.ts";
import { prepareDeskReading } from "./desk-reading.ts";
import { prepareDeskSearch } from "./desk-search.ts";
import type { RunJob } from "./jobs.ts";

export function makeDesk(
  connection: SqliteConnection,
  run: RunJob,
  references: References,
  acceptor: Acceptor,
  announcements: Announcements,
): DeskStore {
  const search = prepareDeskSearch(connection);
  const lists = prepareDeskLists(connection, references);
  return {
    ...lists,
    ...prepareDeskReading(connection, references),
    ...prepareDeskOverview(connection, run, lists),
    ...prepareDeskChanges(connection, run, references, acceptor, announcements),
    ...prepareDeskErase(connection, run, lists, search),

    async indexNext(limit, isDisposable) {
      // Without a transaction where there is nothing to do: this is asked for every second.
      if (await retryWhileBusy(() => search.isComplete())) return 0;
      return run(() => search.indexNext(limit, isDisposable));
    },
  };
}
