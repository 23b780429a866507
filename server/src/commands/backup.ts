// `backup`: a consistent copy of the database while the service runs.
import type { Command } from "commander";
import { configOf, tell, type CommandDeps } from "./command.ts";

const examples = `
The copy holds submissions, subscribers and mails. Resumes are files of their own that never change once they are there:
copy their folder after the backup, and every resume that the backup knows is in the copy.

Example:
  npm run submissions -- backup /backups/submissions-2026-11-21.sqlite
`;

export function registerBackup(program: Command, deps: CommandDeps): void {
  program
    .command("backup")
    .summary("write a consistent copy of the database")
    .description("Writes a consistent copy of the database to a new file. A file that exists is never overwritten.")
    .argument("<file>", "the new file")
    .addHelpText("after", examples)
    .action(async (file: string) => {
      await using store = await deps.openStore(configOf(deps), "read-only");
      await store.backup(file);
      tell(deps, `The database was copied to ${file}.`);
    });
}
