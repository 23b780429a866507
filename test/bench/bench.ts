// What every run needs, and takes down again: a folder, the processes, the stand-in of the mail provider, the load
// generator, the PostgreSQL server.
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Means } from "./compare.ts";
import { startGenerator } from "./load/generator.ts";
import { BenchPostgres } from "./postgres.ts";
import { Processes } from "./processes.ts";
import { buildSyncShim } from "./sync-shim.ts";

export interface Bench extends Means, AsyncDisposable {}

export async function openBench({ rounds, roundMs }: Pick<Means, "rounds" | "roundMs">): Promise<Bench> {
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "submissions-bench-"));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  // PostgreSQL may run as another user, and loads the shim from here.
  await chmod(folder, 0o755);
  const shim = buildSyncShim(folder);
  const postgres = opened.use(new BenchPostgres(shim));
  const processes = opened.use(new Processes());
  const provider = await processes.start("peers/provider.ts", {}, { core: 1 });
  const generator = opened.use(startGenerator());
  const resources = opened.move();
  return {
    ground: { processes, folder, providerUrl: provider.url, shim },
    generator,
    newDatabase: () => postgres.create(),
    rounds,
    roundMs,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
