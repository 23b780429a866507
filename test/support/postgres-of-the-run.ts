// Asks for the PostgreSQL server of the run, which starts with the first question.
import type { PostgresOfTheRun } from "./postgres-global.ts";

let known: Promise<PostgresOfTheRun> | undefined;

/** @throws Error when the server cannot start */
export const postgresOfTheRun = (): Promise<PostgresOfTheRun> => (known ??= ask());

async function ask(): Promise<PostgresOfTheRun> {
  // Only here: services are started by programs too that are no tests.
  const { inject } = await import("vitest");
  const response = await fetch(inject("postgresStarter"));
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as PostgresOfTheRun;
}
