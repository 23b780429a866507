// The command line as a whole: which commands there are, what a failure says and which code it ends with. Knows ports
// only.
import { Command, CommanderError } from "commander";
import { configExitCode, reportProblems } from "../config/report.ts";
import { describeError } from "../observe/describe-error.ts";
import { ResumeDamaged } from "../desk/resume.ts";
import { ResumeMissing, SettingUnusable, VaultUnavailable } from "../resumes/vault.ts";
import { CopyRefused } from "../storage/copy-store.ts";
import { FileExists } from "../storage/new-file.ts";
import { SchemaTooNew, SchemaTooOld } from "../storage/schema-version.ts";
import { BackupElsewhere, StorageUnavailable } from "../storage/store.ts";
import { registerBackup } from "./backup.ts";
import { registerCheckConfig } from "./check-config.ts";
import { CommandFailed, ConfigInvalid, tell, type CommandDeps } from "./command.ts";
import { registerCopy } from "./copy.ts";
import { registerExport } from "./export.ts";
import { registerMailList } from "./mail-list.ts";
import { registerMailRetry } from "./mail-retry.ts";
import { registerMigrate } from "./migrate.ts";
import { isBrokenPipe } from "./output.ts";
import { registerRelease } from "./release.ts";
import { registerResume } from "./resume.ts";

/** How a command ends. */
const exitCodes = { ok: 0, failed: 1, usage: 2, configuration: configExitCode } as const;
type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

const notes = `
Commands read the same environment as the service and work whether it runs or not; copy alone needs it stopped.
Standard output holds data only; everything else goes to standard error.

Exit codes:
  0   done
  1   failed; standard error says why
  2   not understood: unknown command, option or value
  78  the configuration has mistakes; all of them are named
`;

/**
 * Runs one command.
 *
 * @param words what stands behind the program's name
 * @returns the exit code; nothing is thrown
 */
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
    .description("Takes out, looks after and backs up what the submission service holds.")
    .exitOverride()
    .showHelpAfterError("(add --help for how to use it)")
    .configureOutput({
      writeOut: (text) => deps.output.write(text),
      writeErr: (text) => deps.messages.write(text),
    })
    .addHelpText("after", notes);

  registerExport(program, deps);
  registerResume(program, deps);
  registerRelease(program, deps);
  const mail = program.command("mail").summary("look after the outbox").description("Looks after the outbox.");
  registerMailList(mail, deps);
  registerMailRetry(mail, deps);
  registerBackup(program, deps);
  registerCopy(program, deps);
  registerMigrate(program, deps);
  registerCheckConfig(program, deps);
  return program;
}

function explain(error: unknown, deps: CommandDeps): ExitCode {
  if (error instanceof CommanderError) {
    // It has already said what is wrong; help that was asked for is no error.
    const asked = error.code === "commander.helpDisplayed" || error.message === "(outputHelp)";
    return asked && error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  }
  if (error instanceof ConfigInvalid) {
    deps.messages.write(reportProblems(error.problems));
    return exitCodes.configuration;
  }
  if (error instanceof SettingUnusable) {
    deps.messages.write(reportProblems([{ name: error.variable, message: error.message }]));
    return exitCodes.configuration;
  }
  if (isBrokenPipe(error)) return exitCodes.ok;
  tell(deps, reasonOf(error));
  return exitCodes.failed;
}

const withReadableMessage = [
  BackupElsewhere,
  CommandFailed,
  CopyRefused,
  FileExists,
  ResumeDamaged,
  ResumeMissing,
  SchemaTooNew,
  SchemaTooOld,
  StorageUnavailable,
  VaultUnavailable,
];

function reasonOf(error: unknown): string {
  if (error instanceof Error) {
    // System errors (no such folder, disk full) name what the person asked for.
    const readable = withReadableMessage.some((kind) => error instanceof kind) || "syscall" in error;
    if (readable) return error.message;
  }
  return `Unexpected error: ${JSON.stringify(describeError(error))}`;
}
