// Which database a service of a test stores in: a file in its folder, or one on the project's PostgreSQL server.
import { PostgresDatabases } from "./postgres-server.ts";

export interface ServiceDatabase extends AsyncDisposable {
  readonly env: Readonly<Record<string, string>>;
}

export async function openServiceDatabase(): Promise<ServiceDatabase> {
  if (process.env["TEST_DATABASE"] !== "postgres") return { env: {}, [Symbol.asyncDispose]: async () => {} };
  // Only here: services are started by programs too that are no tests.
  const { inject } = await import("vitest");
  const database = await new PostgresDatabases(inject("postgresUrl")).create();
  return { env: { DATABASE_URL: database.url }, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
}
