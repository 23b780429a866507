// The entry of the command line, `npm run submissions -- COMMAND`: hands the commands their collaborators and the process
// its exit code. What a command does is in commands/.
import { systemClock } from "./clock.ts";
import { runCommandLine } from "./commands/program.ts";
import { readEnvironment } from "./config/env.ts";
import { openVault } from "./resumes/open-vault.ts";
import { migrate, openArchive, openStore, pendingMigrations } from "./storage/open-store.ts";

// Without a listener a failed write ends the process with a stack. A reader that goes away (`| head`) is no failure; the
// command that was writing tells of any other.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") process.exitCode = 1;
});

// Set rather than exited with, so that what was written reaches a slow pipe.
process.exitCode ||= await runCommandLine(process.argv.slice(2), {
  environment: readEnvironment(),
  clock: systemClock,
  openStore: ({ storage }, access) => openStore(storage, { access }),
  migrate: ({ storage }) => migrate(storage),
  pendingMigrations: ({ storage }) => pendingMigrations(storage),
  openVault: ({ vault }) => openVault(vault, systemClock),
  openArchive: ({ storage }, role) => openArchive(storage, role),
  output: process.stdout,
  messages: process.stderr,
});
