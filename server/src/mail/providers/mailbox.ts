// The default mailer, for trying the service out and for tests: writes mails as `.eml` files into a folder of this machine.
import { chmod, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { emailKey } from "@submissions/shared/fields";
import type MailComposer from "nodemailer/lib/mail-composer";
import { ifMissing, isMissing, isSystemError } from "../../file-errors.ts";
import { makeFolder } from "../../make-folder.ts";
import { failuresOf, type Mailer, type MailOutcome, type OutgoingMail, type Sender } from "../mailer.ts";
import { mimeFields } from "./mime.ts";
import type { MessageKey } from "../../storage/store.ts";

const { refused, later } = failuresOf("mailbox");

/** Files written at once; more would only wait for Node's four file threads. */
const batchMax = 50;
/** The composer takes eleven turns of the event loop for a mail. Fifty long letters at once would make each of them long. */
const composedAtOnce = 8;

// Opens the mailbox and creates its folder, readable by this user only. A file is named after the mail's id and put in place
// by a rename, not synced: a mail that a power failure takes from this mailbox has reached no person anyway.
export async function openMailboxMailer(folder: string, from: Sender, key: MessageKey): Promise<Mailer> {
  await makeFolder(folder);
  await chmod(folder, 0o700);
  // Loaded with the first mail: it takes some megabytes.
  let composer: Promise<{ readonly default: typeof MailComposer }> | undefined;
  const write = async (mail: OutgoingMail): Promise<Buffer> => {
    const { default: Composer } = await (composer ??= import("nodemailer/lib/mail-composer"));
    // CRLF line ends, as messages have them everywhere.
    return new Composer({ ...mimeFields(mail, from, key), newline: "windows" }).compile().build();
  };
  return {
    batchMax,
    calls: { fresh: 1, due: 1 },
    gatherMs: 0,
    doubt: "replace",
    async send(mails) {
      // All before the first is kept: what cannot be written is thrown while nothing is handed over.
      const messages: Buffer[] = [];
      for (let at = 0; at < mails.length; at += composedAtOnce) {
        messages.push(...(await Promise.all(mails.slice(at, at + composedAtOnce).map(write))));
      }
      return Promise.all(mails.map(({ id }, position) => keep(id, messages[position]!, folder)));
    },
    [Symbol.asyncDispose]: async () => {},
  };
}

async function keep(id: string, message: Buffer, folder: string): Promise<MailOutcome> {
  // The id becomes a file name. Ours hold letters, digits and hyphens.
  if (!/^[\w-]{1,100}$/.test(id)) return refused("id", false);
  const name = `${id}.eml`;
  // Not unique on purpose: what a crash leaves behind is overwritten when the mail is tried again.
  const unfinished = join(folder, `.${id}.tmp`);
  const write = () => writeFile(unfinished, message, { mode: 0o600 });
  try {
    await write().catch(async (error: unknown) => {
      if (!isMissing(error)) throw error;
      // The folder was removed, to empty it. The one above is not made: if a disk is gone, nothing may be written in its place.
      await mkdir(folder, { mode: 0o700 }).catch((failure: NodeJS.ErrnoException) => {
        if (failure.code !== "EEXIST") throw failure;
      });
      await write();
    });
    await rename(unfinished, join(folder, name));
    return { result: "taken", providerId: name };
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return later(String(error.code), "provider");
  }
}

/** Erases a person's mails: those to an address, and notices that answer to it. A folder that is not there has none. */
export async function eraseFromMailbox(folder: string, email: string): Promise<void> {
  const key = emailKey(email);
  const names = await readdir(folder).catch(ifMissing([]));
  for (const name of names.filter((one) => one.endsWith(".eml"))) {
    const file = join(folder, name);
    // Another erasure may just have removed it.
    const message = await readFile(file, "latin1").catch(ifMissing(""));
    if (addressesOf(message).includes(key)) await rm(file, { force: true });
  }
}

// The mailer writes bare addresses, so no comment or quoted name can hold one.
function addressesOf(message: string): readonly string[] {
  const head = message.slice(0, message.indexOf("\r\n\r\n")).replaceAll(/\r\n[ \t]+/g, " ");
  const lines = head.match(/^(?:To|Reply-To):.*$/gim) ?? [];
  return lines.flatMap((line) => emailKey(line).split(/[\s,:<>]+/));
}
