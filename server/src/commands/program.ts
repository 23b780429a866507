// The command line as a whole: which commands there are, what a failure says and which code it ends with.
import { Command, CommanderError } from "commander";
import about from "../../package.json" with { type: "json" };
import { configExitCode, reportProblems } from "../config/load.ts";
import { describeError, messageForOperator } from "../observe/describe-error.ts";
import { SettingUnusable } from "../optional-packages.ts";
import { registerBackup, registerRestore } from "./backup.ts";
import { tell, type CommandDeps } from "./command.ts";
import { registerDoctor } from "./doctor.ts";
import { registerErase, registerRetention } from "./erase.ts";
import { registerCheckConfig } from "./check-config.ts";
import { registerExport } from "./export.ts";
import { registerMail, registerRelease } from "./mail.ts";
import { registerMigrate } from "./migrate.ts";
import { registerOperators } from "./operators.ts";
import { registerResume } from "./resume.ts";
import { registerShow } from "./show.ts";
import { isBrokenPipe } from "./terminal.ts";
import { registerWebhooks } from "./webhooks.ts";

const exitCodes = { ok: 0, failed: 1, usage: 2, configuration: configExitCode } as const;
type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

const notes = `
Commands read the same environment as the service and work beside it; only restore needs the service stopped.
Standard output holds data only; everything else goes to standard error.

Exit codes:
  0   done
  1   failed; standard error says why
  2   not understood: unknown command, option or value
  78  the configuration has mistakes; all of them are named
`;

/** Runs one command. @param words what stands behind the program's name @returns the exit code; never rejects */
export async function runCommandLine(words: readonly string[], deps: CommandDeps): Promise<ExitCode> {
  try {
    await createProgram(deps).parseAsync(words, { from: "user" });
    return exitCodes.ok;
  } catch (error) {
    return explain(error, deps);
  }
}

function createProgram(deps: CommandDeps): Command {
  // Settings are inherited by commands that are registered after them.
  const program = new Command("npm run submissions --")
    .description("Exports, looks after and backs up what the submission service holds.")
    .exitOverride()
    .showHelpAfterError("(add --help for how to use it)")
    .configureOutput({
      writeOut: (text) => deps.output.write(text),
      writeErr: (text) => deps.messages.write(text),
    })
    .addHelpText("after", notes);

  program.version(about.version, "--version", "print the version");
  registerShow(program, deps);
  registerExport(program, deps);
  registerResume(program, deps);
  registerRelease(program, deps);
  registerMail(program, deps);
  registerBackup(program, deps);
  registerRestore(program, deps);
  registerErase(program, deps);
  registerRetention(program, deps);
  registerOperators(program, deps);
  registerWebhooks(program, deps);
  registerMigrate(program, deps);
  registerCheckConfig(program, deps);
  registerDoctor(program, deps);
  return program;
}

function explain(error: unknown, deps: CommandDeps): ExitCode {
  if (error instanceof CommanderError) {
    // Commander has already said what is wrong. Help or a version that was asked for is no error.
    const asked = /^commander\.(?:helpDisplayed|version)$/.test(error.code) || error.message === "(outputHelp)";
    return asked && error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  }
  if (error instanceof SettingUnusable) {
    deps.messages.write(reportProblems(error));
    return exitCodes.configuration;
  }
  if (isBrokenPipe(error)) return exitCodes.ok;
  tell(deps, messageForOperator(error) ?? `Unexpected error: ${JSON.stringify(describeError(error))}`);
  return exitCodes.failed;
}
