// `migrate`: brings the database to the schema of this version, or tells whether it is there. The service does the same
// when it starts; this is for those who want it done, or known, before.
import type { Command } from "commander";
import { CommandFailed, configOf, tell, type CommandDeps } from "./command.ts";
import { writeAll } from "./output.ts";

const examples = `
Examples:
  npm run submissions -- migrate
  npm run --silent submissions -- migrate --check || echo "migrations are pending"
`;

export function registerMigrate(program: Command, deps: CommandDeps): void {
  program
    .command("migrate")
    .summary("bring the database to the schema of this version")
    .description("Applies pending migrations and writes their names to standard output.")
    .option("--check", "apply nothing: write the names of pending migrations and end with 1 if there are any")
    .addHelpText("after", examples)
    .action(async ({ check = false }: { check?: boolean }) => {
      const config = configOf(deps);
      const names = check ? await deps.pendingMigrations(config) : await deps.migrate(config);
      await writeAll(
        names.map((name) => `${name}\n`),
        deps.output,
      );
      if (check && names.length > 0) throw new CommandFailed(`Pending migrations: ${names.length}.`);
      tell(deps, names.length === 0 ? "The database is up to date." : `Migrations applied: ${names.length}.`);
    });
}
