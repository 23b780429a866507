// Copies the database while it is written to. Has a connection of its own: a copy through the connection that writes
// would take part in its transactions.
import { backup, DatabaseSync } from "node:sqlite";
import { writeNewFile } from "../new-file.ts";
import { engineWaitMs } from "./busy.ts";
import { asUnavailable } from "./errors.ts";

/** All pages in one step: a copy in several steps starts again whenever something was written between two of them. */
const pagesAtOnce = 2 ** 31 - 1;

/**
 * Copies the database into a new file, mode 0600, synced before it gets its name. The copying runs off the event loop.
 *
 * @throws FileExists when there is something under the name
 * @throws StorageUnavailable when the database cannot be read or the copy cannot be written
 */
export async function backupDatabase(database: string, file: string): Promise<void> {
  await writeNewFile(file, async (temporary) => {
    try {
      using source = new DatabaseSync(database, { readOnly: true, timeout: engineWaitMs });
      await backup(source, temporary, { rate: pagesAtOnce });
    } catch (error) {
      throw asUnavailable(error) ?? error;
    }
  });
}
