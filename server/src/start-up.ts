// What the processes share when they start: reading the configuration, what they tell the person at the terminal, and the
// address of the running service, which lies in a file of its data folder.
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { publicUrl, type Config } from "./config/config.ts";
import { configExitCode, loadConfig, reportProblems, type ConfigProblem, type Environment } from "./config/load.ts";
import { ifMissing } from "./file-errors.ts";
import { messageForOperator } from "./observe/describe-error.ts";

/** The configuration in force. With mistakes in it they are told, and the process ends. */
export function configOrExit(environment: Environment): Config {
  const loaded = loadConfig(environment);
  return loaded.ok ? loaded.config : refuseConfig(loaded.problems);
}

export function refuseConfig(problems: readonly ConfigProblem[]): never {
  process.stderr.write(reportProblems(problems));
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

const addressFile = (dataFolder: string) => join(dataFolder, "address");

/** Writes the address of the running service down until disposed of. */
export async function keepAddress(dataFolder: string, address: string): Promise<AsyncDisposable> {
  await writeFile(addressFile(dataFolder), address);
  return { [Symbol.asyncDispose]: () => rm(addressFile(dataFolder), { force: true }) };
}

// The base address in links that a command prints: `PUBLIC_URL`, that of the running service, which may listen on another
// port than the command's own PORT says, or the one it would have.
export const linkAddress = async (config: Config): Promise<string> =>
  config.publicUrl ?? readFile(addressFile(config.dataFolder), "utf8").catch(ifMissing(publicUrl(config)));
