// One PostgreSQL server for all test files of a project, with a migrated database to copy.
import type { TestProject } from "vitest/node";
import { startPostgres } from "./postgres-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The address of the server, without a database. */
    readonly postgresUrl: string;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres();
  await server.makeTemplate();
  project.provide("postgresUrl", server.url);
  return async () => server[Symbol.asyncDispose]();
}
