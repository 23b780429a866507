// What operators ask for, on SQLite and on a PostgreSQL server of its own, which it fills first: the times of desk.ts, and
// those of submissions beside them (beside.ts). npm run bench:console -- 1000000 [sqlite|postgres]
import { join } from "node:path";
import { seedStore } from "../../server/dev/seed/seed.ts";
import { openStore, type StoreLocation } from "../../server/src/storage/open-store.ts";
import { openFolder } from "../support/folder.ts";
import { startPostgres } from "../support/postgres-server.ts";
import { measureBeside } from "./beside.ts";
import { timeDesk } from "./desk.ts";

const count = Number(process.argv[2] ?? 20_000);
const only = process.argv[3];
const days = 3 * 365;
/** Submissions that are made searchable in one transaction. */
const indexedAtOnce = 1_000;

async function measure(location: StoreLocation, dataFolder: string, settle = async () => {}): Promise<void> {
  console.log(`\n${count} submissions on ${location.kind}`);
  await seedStore(location, { count, days, now: Date.now() });
  {
    await using store = await openStore(location);
    while ((await store.desk.indexNext(indexedAtOnce, () => false)) > 0);
    await settle();
    await timeDesk(store);
  }
  await measureBeside(location, dataFolder);
}

if (only !== "postgres") {
  await using folder = await openFolder();
  await measure({ kind: "sqlite", file: join(folder.path, "submissions.sqlite") }, folder.path);
}
if (only !== "sqlite") {
  await using folder = await openFolder();
  await using server = await startPostgres({
    settings: { shared_buffers: "512MB", max_wal_size: "4GB", autovacuum: "on" },
  });
  await using database = await server.create("empty");
  // As autovacuum leaves a database that was not filled a minute ago.
  const settle = async () => void (await database.query("VACUUM (ANALYZE)"));
  await measure({ kind: "postgres", url: database.url, poolMax: 4 }, folder.path, settle);
}
