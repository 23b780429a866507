// What an installation needs now and then: `migrate`, `check-config`.
import type { Command } from "commander";
import { publicUrl } from "../config/config.ts";
import { describeSettings, reportMisspellings } from "../config/load.ts";
import { counted } from "../field-values.ts";
import { migrate, pendingMigrations } from "../storage/open-store.ts";
import type { PendingMigration } from "../storage/schema-version.ts";
import { CommandFailed, configOf, tell, type CommandDeps } from "./command.ts";
import { writeAll } from "./terminal.ts";

const migrateExamples = `
The service does the same when it starts.

Examples:
  npm run submissions -- migrate
  npm run --silent submissions -- migrate --check || echo "migrations are pending"
`;

const checkConfigExamples = `
Example:
  PORT=8080 npm run submissions -- check-config
`;

/** What a machine with ten times more work than cores did, copying a table with six indexes. */
const rowsPerSecond = 20_000;

function workOf({ tables, rows }: PendingMigration): string {
  if (tables.length === 0) return "reads no table; submissions wait for less than a second";
  const seconds = Math.ceil(rows / rowsPerSecond);
  const wait = seconds <= 1 ? "a second at most" : `${seconds} seconds or less`;
  return `reads ${tables.join(", ")} (${counted(rows, "row")}); submissions wait for ${wait}`;
}

export function registerUpkeep(program: Command, deps: CommandDeps): void {
  program
    .command("migrate")
    .description("Applies pending migrations and writes their names to standard output.")
    .option(
      "--check",
      "apply nothing: write the names of pending migrations, say how long they take, and end with 1 if there are any",
    )
    .addHelpText("after", migrateExamples)
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
  program
    .command("check-config")
    .description("Shows the configuration in force, secrets masked, or names all mistakes in it and ends with 78.")
    .addHelpText("after", checkConfigExamples)
    .action(async () => {
      deps.messages.write(reportMisspellings(deps.environment));
      const config = configOf(deps);
      // What these are when they are unset depends on other settings.
      const derived = new Map([
        ["PUBLIC_URL", publicUrl(config)],
        ["BRAND", config.brand],
      ]);
      const lines = describeSettings(deps.environment).map(
        ([name, value]) => `${name}=${derived.get(name) ?? value}\n`,
      );
      await writeAll(lines, deps.output);
    });
}
