// One PostgreSQL server for a whole run of tests. It starts when a test first asks for it, so that a run of a few files that
// need none does not wait for one. TEST_POSTGRES_URL names another one: the address of a superuser.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestProject } from "vitest/node";
import { inMemory } from "./memory-folder.ts";
import { PostgresDatabases, startPostgres } from "./postgres-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Answers a GET with a `PostgresOfTheRun`. */
    readonly postgresStarter: string;
  }
}

export interface PostgresOfTheRun {
  readonly url: string;
  /** A data folder to start other servers with; null when the server is given. */
  readonly data: string | null;
}

interface Starter extends AsyncDisposable {
  readonly url: string;
}

// Each project loads this file anew; only the process is the same.
const place = globalThis as { postgresStarter?: { readonly starter: Promise<Starter>; users: number } | undefined };

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const shared = (place.postgresStarter ??= { starter: openStarter(), users: 0 });
  shared.users += 1;
  const starter = await shared.starter;
  project.provide("postgresStarter", starter.url);
  return async () => {
    shared.users -= 1;
    if (shared.users > 0) return;
    place.postgresStarter = undefined;
    await starter[Symbol.asyncDispose]();
  };
}

async function openStarter(): Promise<Starter> {
  const opened = new AsyncDisposableStack();
  let started: Promise<PostgresOfTheRun> | undefined;
  const http = createServer((_request, response) => {
    (started ??= start(opened)).then(
      (server) => response.end(JSON.stringify(server)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      http.close();
      http.closeAllConnections();
      await started?.catch(() => {});
      await opened.disposeAsync();
    },
  };
}

async function start(opened: AsyncDisposableStack): Promise<PostgresOfTheRun> {
  const given = process.env["TEST_POSTGRES_URL"];
  if (given !== undefined) {
    await new PostgresDatabases(given).makeTemplate();
    return { url: given, data: null };
  }
  const server = opened.use(await startPostgres({ within: inMemory["TMPDIR"], prepares: true }));
  return { url: server.url, data: server.prepared };
}
