// One PostgreSQL server for a whole run of tests. TEST_POSTGRES_URL names another one: the address of a superuser.
import type { TestProject } from "vitest/node";
import { inMemory } from "./memory-folder.ts";
import { PostgresDatabases, type PostgresServer, startPostgres } from "./postgres-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    readonly postgresUrl: string;
    /** A data folder to start other servers with; null when the server is given. */
    readonly postgresData: string | null;
  }
}

interface Shared {
  readonly server: Promise<PostgresServer>;
  users: number;
}

// Each project loads this file anew; only the process is the same.
const place = globalThis as { sharedPostgres?: Shared | undefined };

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env["TEST_POSTGRES_URL"];
  if (given !== undefined) {
    await new PostgresDatabases(given).makeTemplate();
    project.provide("postgresUrl", given);
    project.provide("postgresData", null);
    return async () => {};
  }
  const shared = (place.sharedPostgres ??= {
    server: startPostgres({ within: inMemory["TMPDIR"], prepares: true }),
    users: 0,
  });
  shared.users += 1;
  const server = await shared.server;
  project.provide("postgresUrl", server.url);
  project.provide("postgresData", server.prepared);
  return async () => {
    shared.users -= 1;
    if (shared.users > 0) return;
    place.sharedPostgres = undefined;
    await server[Symbol.asyncDispose]();
  };
}
