// Which submission a mail that came in is about, and which mail of ours: by the token in an address that it was sent to, else by
// the Message-IDs that it answers. Subject, text and sender say nothing, because anyone can write them.
import type { InboundAddresses } from "../mail/inbound-address.ts";
import { isMessageIdOf, readMessageId } from "../mail/message-id.ts";
import type { Found, InboundStore } from "../storage/inbound-store.ts";
import type { Claimed } from "../storage/records.ts";
import type { MessageKey } from "../storage/store.ts";
import type { InboundMail } from "./inbound-mail.ts";

interface Matching {
  readonly addresses: InboundAddresses;
  readonly messageKey: MessageKey;
  readonly store: Pick<InboundStore, "findNamed">;
}

/** Of each mail; the others are not looked for. */
const claimsMax = 20;

/**
 * What a mail names; null: nothing that there is. And the mail of ours that it says was not delivered, and never will be
 * (RFC 3464); null: it says so of none.
 */
export async function matchMail(mail: InboundMail, matching: Matching) {
  const tokens = mail.recipients.filter((address) => matching.addresses.includes(address) && address.includes("+"));
  const byToken = await proven(tokens, matching.addresses, matching.store);
  const ids = idProofs(matching.messageKey);
  // A wrong token names nothing: what else the mail says was not asked for by us.
  const answered = tokens.length > 0 ? byToken : await proven(answeredIds(mail), ids, matching.store);
  const reports = mail.report ?? [];
  const quoted = await proven(
    reports.flatMap(({ originalMessageId: id }) => id ?? []).slice(0, 1),
    ids,
    matching.store,
  );
  // A permanent failure says more than a server that gave up after retries.
  const failures = reports.filter(({ failed }) => failed);
  const failure = failures.find(({ status }) => status.startsWith("5.")) ?? failures[0];
  const [mailed] = [...byToken.filter(({ of }) => of === "mail"), ...quoted];
  const undelivered = failure && mailed ? { mail: mailed, status: failure.status } : null;
  return { named: answered[0] ?? quoted[0] ?? null, undelivered };
}

/** Whether it is a mail of ours, that some program sends around in a circle. */
export async function isOurs(mail: InboundMail, { messageKey, store }: Matching): Promise<boolean> {
  return mail.messageId !== undefined && (await proven([mail.messageId], idProofs(messageKey), store)).length > 0;
}

const answeredIds = ({ inReplyTo, references }: InboundMail) => [...inReplyTo, ...references.toReversed()];

interface Proofs {
  read(text: string): Claimed | null;
  isFor(text: string, named: Found): boolean;
}

const idProofs = (key: MessageKey): Proofs => ({
  read: (id) => readMessageId(id, key),
  isFor: (id, named) => isMessageIdOf(id, named, key),
});

/** What is named by these texts, in their order. */
async function proven(texts: readonly string[], { read, isFor }: Proofs, store: Matching["store"]) {
  const claims = texts.flatMap((text) => read(text) ?? []).slice(0, claimsMax);
  const found = claims.length === 0 ? [] : await store.findNamed(claims);
  return texts.flatMap((text) => found.find((one) => isFor(text, one)) ?? []);
}
