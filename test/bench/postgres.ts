// The PostgreSQL server of the bench: one of its own that syncs, measured and slowed like the programs.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type PostgresServer, startPostgres } from "../support/postgres-server.ts";
import type { Syncs, SyncShim } from "./sync-shim.ts";
import { usedBy } from "./used.ts";

export interface BenchDatabase {
  /** With the service's tables in it. */
  readonly url: string;
  /** Another one without any. */
  emptyUrl(): Promise<string>;
  /** CPU time that the whole server has used. */
  cpuMicros(): number;
  /** What it has written to its log so far. The kernel's count is of no use: it counts a megabyte for each page of the log. */
  loggedBytes(): Promise<number>;
  /** Of the whole server; null where they are not counted. */
  syncs(): Syncs | null;
}

export class BenchPostgres implements AsyncDisposable {
  readonly #shim: SyncShim | null;
  #running: Promise<{ readonly server: PostgresServer; readonly syncs: Syncs | null }> | null = null;

  constructor(shim: SyncShim | null) {
    this.#shim = shim;
  }

  /** A database on the server, which is started when the first one is wanted. */
  async create(): Promise<BenchDatabase> {
    const { server, syncs } = await (this.#running ??= start(this.#shim));
    const { url } = await server.create();
    const pid = Number(readFileSync(join(server.folder, "postmaster.pid"), "utf8").split("\n")[0]);
    return {
      url,
      emptyUrl: async () => (await server.create("empty")).url,
      cpuMicros: () => usedBy(pid).cpuMicros,
      loggedBytes: async () => Number((await server.administer(logged))[0]?.["bytes"]),
      syncs: () => syncs,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#running)?.server[Symbol.asyncDispose]();
  }
}

const logged = "SELECT pg_current_wal_lsn() - '0/0'::pg_lsn AS bytes";

async function start(shim: SyncShim | null) {
  const syncs = shim?.watch("postgres") ?? null;
  // The server gets this process's environment.
  Object.assign(process.env, syncs?.env);
  const server = await startPostgres({
    settings: {
      fsync: "on",
      full_page_writes: "on",
      shared_buffers: "256MB",
      autovacuum: "on",
      max_connections: "200",
    },
  });
  for (const name of Object.keys(syncs?.env ?? {})) delete process.env[name];
  await server.makeTemplate();
  return { server, syncs };
}
