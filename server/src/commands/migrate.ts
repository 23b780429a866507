// `migrate`: applies pending migrations, or says what they will take.
import type { Command } from "commander";
import { counted } from "../field-values.ts";
import { migrate, pendingMigrations } from "../storage/open-store.ts";
import type { PendingMigration } from "../storage/schema-version.ts";
import { CommandFailed, configOf, tell, type CommandDeps } from "./command.ts";
import { writeAll } from "./terminal.ts";

const examples = `
The service does the same when it starts.

Examples:
  npm run submissions -- migrate
  npm run --silent submissions -- migrate --check || echo "migrations are pending"
`;

/** What a machine with ten times more work than cores did, copying a table with six indexes. */
const rowsPerSecond = 20_000;

function workOf({ tables, rows }: PendingMigration): string {
  if (tables.length === 0) return "reads no table; submissions wait for less than a second";
  const seconds = Math.ceil(rows / rowsPerSecond);
  const wait = seconds <= 1 ? "a second at most" : `${seconds} seconds or less`;
  return `reads ${tables.join(", ")} (${counted(rows, "row")}); submissions wait for ${wait}`;
}

export function registerMigrate(program: Command, deps: CommandDeps): void {
  program
    .command("migrate")
    .description("Applies pending migrations and writes their names to standard output.")
    .option(
      "--check",
      "apply nothing: write the names of pending migrations, say how long they take, and end with 1 if there are any",
    )
    .addHelpText("after", examples)
    .action(async ({ check = false }: { check?: boolean }) => {
      const config = configOf(deps);
      const pending = check ? await pendingMigrations(config.storage) : [];
      for (const one of pending) tell(deps, `${one.name}: ${workOf(one)}.`);
      const names = check
        ? pending.map(({ name }) => name)
        : await migrate(config.storage, (message) => tell(deps, message));
      const lines = names.map((name) => `${name}\n`);
      await writeAll(lines, deps.output);
      if (check && names.length > 0) throw new CommandFailed(`Pending migrations: ${names.length}.`);
      tell(deps, names.length === 0 ? "The database is up to date." : `Migrations applied: ${names.length}.`);
    });
}
