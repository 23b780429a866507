// Tells a person at a terminal where the service that was just started can be reached.
import type { Config } from "./config/config.ts";

interface Known {
  /** How to sign in to the console; null: this process does not know. */
  readonly signIn?: string | null | undefined;
  /** Where the mailbox is shown as pages. */
  readonly mailbox?: string | undefined;
}

/** @param address where the service listens */
export function whatToOpen(address: string, { dataFolder, mail }: Config, { signIn, mailbox }: Known = {}): string {
  const mails = mail.kind === "mailbox" ? (mailbox ?? mail.folder) : `really sent, by ${mail.kind}`;
  return `
  front page  ${address}/
  console     ${address}/console${signIn ? `  (${signIn})` : ""}
  API docs    ${address}/docs
  mailbox     ${mails}
  data        ${dataFolder}

`;
}
