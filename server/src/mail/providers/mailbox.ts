// The default mailer: writes every mail as an `.eml` file into a folder of this machine, which any mail program opens.
// It is for trying the service out and for tests; it sends nothing and knows nothing of a network.
import { chmod, mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Mailer, MailOutcome } from "../mailer.ts";
import { writeMessage } from "./message.ts";
import type { Sender } from "../sender.ts";

/** Files written at once; more would only wait for Node's four file threads. */
const batchMax = 50;

/**
 * Opens the mailbox and creates its folder, readable by this user only.
 *
 * A file is named after the mail's outbox id and put in place by a rename: it is there whole or not at all, and sending
 * the same mail again replaces it. It is not forced to the disk: a mail that a power failure takes from this mailbox has
 * reached no one anyway.
 */
export async function openMailboxMailer(folder: string, from: Sender): Promise<Mailer> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  return {
    batchMax,
    async send(mails) {
      // All before the first is kept: what cannot be written is thrown while nothing is handed over.
      const messages = mails.map((mail) => writeMessage(mail, from, new Date()));
      return Promise.all(mails.map(({ id }, position) => keep(id, messages[position] ?? "", folder)));
    },
    [Symbol.asyncDispose]: async () => {},
  };
}

async function keep(id: string, message: string, folder: string): Promise<MailOutcome> {
  // The id becomes a file name; ours are UUIDs.
  if (!/^[\w-]{1,100}$/.test(id)) return { result: "refused", error: "mailbox: id", inactiveRecipient: false };
  const name = `${id}.eml`;
  // Not unique on purpose: what a crash leaves behind is overwritten when the mail is tried again.
  const unfinished = join(folder, `.${id}.tmp`);
  try {
    await writeFile(unfinished, message, { mode: 0o600 });
    await rename(unfinished, join(folder, name));
    return { result: "taken", providerId: name };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : null;
    // Whatever has no code is not about files.
    if (code === null) throw error;
    return { result: "later", error: `mailbox: ${code}`, cause: "provider" };
  }
}
