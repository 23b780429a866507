// One PostgreSQL server for all test files of a project, with a migrated database to copy. TEST_POSTGRES_URL names another
// one to use, of another version, say: the address of a superuser, without a database.
import type { TestProject } from "vitest/node";
import { PostgresDatabases, startPostgres } from "./postgres-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The address of the server, without a database. */
    readonly postgresUrl: string;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env["TEST_POSTGRES_URL"];
  const server = given === undefined ? await startPostgres() : null;
  const databases = server ?? new PostgresDatabases(given ?? "");
  await databases.makeTemplate();
  project.provide("postgresUrl", databases.url);
  return async () => server?.[Symbol.asyncDispose]();
}
