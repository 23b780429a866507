// What operators ask for, on SQLite and on a PostgreSQL server of its own, which it fills first: the times of desk.ts, and
// those of submissions beside them (beside.ts). npm run bench:console -- 1000000 [sqlite|postgres]
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { openFolder } from "../support/folder.ts";
import { startPostgres } from "../support/postgres-server.ts";

const root = join(import.meta.dirname, "../..");
const preload = join(root, "server/src/preload.js");
const [count = "20000", only] = process.argv.slice(2);

async function run(env: Readonly<Record<string, string>>, script: string, ...more: readonly string[]): Promise<void> {
  const child = spawn(
    process.execPath,
    ["-C", "@submissions/source", "--import", preload, join(root, script), ...more],
    { stdio: "inherit", env: { ...process.env, ...env } },
  );
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) throw new Error(`${script} ended with ${code}.`);
}

async function measure(env: Readonly<Record<string, string>>, settle = async () => {}): Promise<void> {
  await run(env, "server/dev/seed/main.ts", count);
  await settle();
  await run(env, "test/bench/desk.ts");
  await run(env, "test/bench/beside.ts");
}

if (only !== "postgres") {
  await using folder = await openFolder();
  console.log(`\n${count} submissions on SQLite`);
  await measure({ DATA_DIR: folder.path });
}
if (only !== "sqlite") {
  await using folder = await openFolder();
  await using server = await startPostgres({
    settings: { shared_buffers: "512MB", max_wal_size: "4GB", autovacuum: "on" },
  });
  await using database = await server.create("empty");
  console.log(`\n${count} submissions on PostgreSQL`);
  // As autovacuum leaves a database that was not filled a minute ago.
  const settle = async () => void (await database.query("VACUUM (ANALYZE)"));
  await measure({ DATA_DIR: folder.path, DATABASE_URL: database.url }, settle);
}
