// The Message-ID of a mail: the same however often it is sent, so that mail programs can show a repeat once. That of a receipt
// is made of the reference, so that a reply can name it after the receipt's row is forgotten.
import { hash } from "node:crypto";
import type { OutgoingMail, Sender } from "./mailer.ts";

/**
 * Ids of mails count them, and receipts go to strangers, who must not learn the volume: without the key the hash says nothing
 * of the id. It is cut to half: a whole SHA-256 could be continued to that of a longer text without the key.
 *
 * @param key of the store
 */
export const messageId = (
  { id, kind, reference }: Pick<OutgoingMail, "id" | "kind" | "reference">,
  { address }: Sender,
  key: string,
): string => {
  const named = kind.endsWith("-receipt") && reference !== null ? reference : id;
  const local = hash("sha256", `${key} ${named}`).slice(0, 32);
  return `<${local}@${address.slice(address.lastIndexOf("@") + 1)}>`;
};
