// Erases a person's mails from the mailbox on disk: those to an address, and notices that answer to it.
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { emailKey } from "@submissions/shared/fields";

/** Removes the person's mails from a folder. A folder that is not there has none. */
export async function eraseFromMailbox(folder: string, email: string): Promise<void> {
  const key = emailKey(email);
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  for (const name of names.filter((one) => one.endsWith(".eml"))) {
    const file = join(folder, name);
    if (addressesOf(await readFile(file, "latin1")).includes(key)) await rm(file, { force: true });
  }
}

// Ours are bare, so no comment or quoted name can hold one.
function addressesOf(message: string): readonly string[] {
  const head = message.slice(0, message.indexOf("\r\n\r\n")).replaceAll(/\r\n[ \t]+/g, " ");
  const lines = head.match(/^(?:To|Reply-To):.*$/gim) ?? [];
  return lines.flatMap((line) => emailKey(line).split(/[\s,:<>]+/));
}
