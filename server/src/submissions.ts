// The entry of the command line, `npm run submissions -- COMMAND`.
import { runCommandLine } from "./commands/program.ts";
import { readEnvironment } from "./config/load.ts";

// Without a listener a failed write ends the process with a stack. A reader that goes away (`| head`) is no failure. The
// command that was writing reports any other error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") process.exitCode = 1;
});
// What a command does must not end halfway because its messages cannot be written.
process.stderr.on("error", () => {});

// Set instead of exited with, so that what was written reaches a slow pipe.
process.exitCode ||= await runCommandLine(process.argv.slice(2), {
  environment: readEnvironment(),
  input: process.stdin,
  output: process.stdout,
  messages: process.stderr,
});
