// Whether a mail is from the person of the submission: its address is in From, and our own mail server says that the mail is
// authentic for it. Every other header could be the sender's work.
import { email, emailKey } from "@submissions/shared/addresses";
import { getDomain } from "tldts";
import type { AnswerSender } from "../storage/records.ts";
import type { InboundMail } from "./inbound-mail.ts";

/** The addresses that a mail is from, as those of submissions are stored. */
export const fromKeysOf = (mail: InboundMail) => mail.from.map(({ address }) => emailKey(email.clean(address)));

export function senderOf(mail: InboundMail, personKey: string, authservId: string | null): AnswerSender {
  if (mail.automatic) return "automatic";
  const [from, ...others] = fromKeysOf(mail);
  if (from === undefined || others.length > 0 || from !== personKey) return "unverified";
  return isAuthentic(mail, from.slice(from.lastIndexOf("@") + 1), authservId) ? "person" : "unverified";
}

function isAuthentic(mail: InboundMail, host: string, authservId: string | null): boolean {
  const passes = (one: { readonly result: string; readonly domain?: string } | undefined) =>
    one?.result === "pass" && one.domain !== undefined && isSameOrganisation(one.domain, host);
  // The topmost is the one that our server wrote: what stands below may have come with the mail.
  if (authservId === null) return passes(mail.receivedSpf);
  const ours = mail.authentication.find((one) => one.authservId.toLowerCase() === authservId.toLowerCase());
  return (ours?.results ?? []).some((one) =>
    // DMARC is about the domain in From; some servers do not repeat it.
    one.method === "dmarc" && one.domain === undefined ? one.result === "pass" : passes(one),
  );
}

/** As DMARC compares them (RFC 7489 3.2). Suffixes under which strangers register are those of the Public Suffix List, which the library holds. */
function isSameOrganisation(one: string, other: string): boolean {
  const domainOf = (host: string) => getDomain(host, { allowPrivateDomains: true }) ?? host.toLowerCase();
  return domainOf(one) === domainOf(other);
}
