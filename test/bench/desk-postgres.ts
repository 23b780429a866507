// The times of desk.ts on a PostgreSQL server of its own, which it fills first: npm run bench:console -- 1000000
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { startPostgres } from "../support/postgres-server.ts";

const root = join(import.meta.dirname, "../..");
const preload = join(root, "server/src/preload.js");

await using server = await startPostgres({
  settings: { shared_buffers: "512MB", max_wal_size: "4GB", autovacuum: "on" },
});
await using database = await server.create("empty");

async function run(script: string, ...more: readonly string[]): Promise<void> {
  const child = spawn(
    process.execPath,
    ["-C", "@submissions/source", "--import", preload, join(root, script), ...more],
    { stdio: "inherit", env: { ...process.env, DATABASE_URL: database.url } },
  );
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) throw new Error(`${script} ended with ${code}.`);
}

await run("server/src/seed/main.ts", process.argv[2] ?? "20000");
// As autovacuum leaves a database that was not filled a minute ago.
await database.query("VACUUM (ANALYZE)");
await run("test/bench/desk.ts");
