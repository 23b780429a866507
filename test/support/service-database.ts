// Databases on the run's PostgreSQL server, and which one a service of a test stores in.
import { postgresOfTheRun } from "./postgres-of-the-run.ts";
import { type PostgresDatabase, PostgresDatabases } from "./postgres-server.ts";

export interface ServiceDatabase extends AsyncDisposable {
  readonly env: Readonly<Record<string, string>>;
}

let ofTheRun: PostgresDatabases | undefined;

/** A database of the run's server; it goes with the server unless it is disposed of. */
export async function createDatabase(kind?: "migrated" | "empty"): Promise<PostgresDatabase> {
  const { url } = await postgresOfTheRun();
  return (ofTheRun ??= new PostgresDatabases(url)).create(kind);
}

export async function openServiceDatabase(): Promise<ServiceDatabase> {
  if (process.env["TEST_DATABASE"] !== "postgres") return { env: {}, [Symbol.asyncDispose]: async () => {} };
  const database = await createDatabase();
  return { env: { DATABASE_URL: database.url }, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
}
