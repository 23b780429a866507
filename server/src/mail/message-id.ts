// The Message-ID of a mail: always the same. A receipt's is made of its submission, so that replies can still name it.
import { hash } from "node:crypto";
import type { Claimed, Named } from "../storage/records.ts";
import type { MessageKey } from "../storage/store.ts";
import type { OutgoingMail, Sender } from "./mailer.ts";
import { namedMail, seal, sealedDigits, textOf, unseal } from "./sealed-number.ts";

type Identified = Pick<OutgoingMail, "id" | "receiptOf">;

// It is cut, because a whole SHA-256 could be continued to that of a longer text without the key.
const idDigits = 32;
const keyedHash = (key: string, text: string, digits: number) => hash("sha256", `${key} ${text}`).slice(0, digits);

export function messageId(mail: Identified, { address }: Sender, { secret, sinceArrival }: MessageKey): string {
  const { receiptOf } = mail;
  const local =
    receiptOf !== null && receiptOf.arrival < sinceArrival
      ? keyedHash(secret, receiptOf.reference, idDigits)
      : localOf(receiptOf === null ? namedMail(mail.id) : receiptName(receiptOf), secret);
  return `<${local}@${address.slice(address.lastIndexOf("@") + 1)}>`;
}

const receiptName = ({ arrival, receivedAt }: NonNullable<Identified["receiptOf"]>): Named => {
  return { of: "submission", row: arrival, at: receivedAt };
};

const localOf = (named: Named, secret: string) =>
  seal(keyedHash(secret, textOf(named), idDigits - sealedDigits), named, secret);

/** What a Message-ID, without its brackets, says that it names, if it has the form of ours; to be proven by {@link isMessageIdOf}. */
export function readMessageId(id: string, { secret }: Pick<MessageKey, "secret">): Claimed | null {
  const local = /^([0-9a-f]{32})@/.exec(id)?.[1];
  return local === undefined ? null : unseal(local, secret);
}

export const isMessageIdOf = (id: string, named: Named, { secret }: Pick<MessageKey, "secret">): boolean =>
  id.startsWith(`${localOf(named, secret)}@`);
