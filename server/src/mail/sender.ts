// Who the mails come from, as MAIL_FROM says it: `Name <address>` or a bare address. It reads and writes that form and
// knows nothing of the other headers.
import { email } from "@submissions/shared/fields";

/** The sender of every mail. */
export interface Sender {
  /** The display name, or null when there is none. */
  readonly name: string | null;
  /** One e-mail address. */
  readonly address: string;
}

/**
 * Reads `Name <address>`, `"Name" <address>` or `address`; null when it is neither, or when the name holds control
 * characters or angle brackets.
 */
export function parseSender(text: string): Sender | null {
  const named = /^\s*("(?:[^"\\]|\\.)*"|[^"<>]*?)\s*<([^<>]*)>\s*$/.exec(text);
  const address = email.safeParse(named ? named[2] : text);
  if (!address.success) return null;
  const name = (named?.[1] ?? "").replace(/^"(.*)"$/s, "$1").replace(/\\(.)/gs, "$1");
  if (/[\p{Cc}<>]/u.test(name)) return null;
  return { name: name.trim() === "" ? null : name.trim(), address: address.data };
}

/** What mails call the sender: its name, or else the host name of its address. */
export const brandOf = (sender: Sender): string => sender.name ?? sender.address.slice(sender.address.indexOf("@") + 1);

/** The sender as a header without encoding: for providers that are handed text and write the header themselves. */
export const formatSender = ({ name, address }: Sender): string =>
  name === null ? address : `"${name.replace(/["\\]/g, "\\$&")}" <${address}>`;
