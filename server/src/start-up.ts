// What the processes share when they start: reading the configuration, and what they tell the person at the terminal.
import type { Config } from "./config/config.ts";
import { configExitCode, loadConfig, reportProblems, type Environment } from "./config/load.ts";
import { messageForOperator } from "./observe/describe-error.ts";
import { SettingUnusable } from "./optional-packages.ts";

/** The configuration in force. With mistakes in it they are told, and the process ends. */
export function configOrExit(environment: Environment): Config {
  try {
    return loadConfig(environment);
  } catch (error) {
    return exitOverSettings(error);
  }
}

/** Ends the process when settings are wrong. @throws any other error */
export function exitOverSettings(error: unknown): never {
  if (!(error instanceof SettingUnusable)) throw error;
  process.stderr.write(reportProblems(error));
  process.exit(configExitCode);
}

/** Why the service could not start, in words for a person. Null: not one of the usual reasons. */
export function whyNotStarted(error: unknown, { listen }: Pick<Config, "listen">): string | null {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall !== "listen" && syscall !== "getaddrinfo") return messageForOperator(error);
  const place = `port ${listen.port} of ${listen.host}`;
  return code === "EADDRINUSE"
    ? `${place} is taken. Set PORT to another one.`
    : `${place} cannot be listened on (${code}). Set HOST or PORT to another one.`;
}

export function whatToOpen(
  address: string,
  { dataFolder, mail, hasFrontPage }: Config,
  { signIn, mailbox }: { readonly signIn?: string | null | undefined; readonly mailbox?: string | undefined } = {},
): string {
  const mails = mail.kind === "mailbox" ? (mailbox ?? mail.folder) : `really sent, by ${mail.kind}`;
  const frontPage = hasFrontPage ? `  front page  ${address}/\n` : "";
  return `
${frontPage}  console     ${address}/console${signIn ? `  (${signIn})` : ""}
  API docs    ${address}/docs
  mailbox     ${mails}
  data        ${dataFolder}

`;
}
