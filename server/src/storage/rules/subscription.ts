// What a subscription does to an address, known or not, and subscribers as rows.
import type { Language } from "@submissions/shared/language";
import { picked } from "../../field-values.ts";
import { newsletterMailsMax, welcomeIntervalMs } from "../limits.ts";
import type {
  ConsentRecord,
  LeftOutReason,
  LinkPurpose,
  StoredSubscriber,
  SubscriberStatus,
  SubscriptionRecord,
  Welcome,
} from "../records.ts";
import { columnsOf, readFields } from "./columns.ts";
import { readConsent } from "./submission-row.ts";
import type { KnownAddressee } from "./suppression.ts";
import type { TableRow } from "./tables.ts";

type KnownSubscriber = Pick<KnownAddressee, "status" | "welcomedAt" | "unsubscribedAt">;

type Asked = Pick<SubscriptionRecord, "optIn" | "receivedAt" | "added">;

/** The welcome mail is `capped` when it is due, but the address may get no mail now, and `none` when none is due. */
export function decideSubscription(
  known: KnownSubscriber | undefined,
  { optIn, receivedAt, added }: Asked,
  addressee: { readonly suppressed: boolean; readonly mailedInLastDay: number },
): { readonly status: SubscriberStatus; readonly welcome: "stored" | "capped" | "none" } {
  if (added === "proven") return { status: "active", welcome: "none" };
  // No newsletter could reach a suppressed address, so a request alone does not activate it.
  const { status, due } = decideMailable(known, { optIn: addressee.suppressed ? "double" : optIn, receivedAt });
  if (!due) return { status, welcome: "none" };
  const mayGetMail = !addressee.suppressed && addressee.mailedInLastDay < newsletterMailsMax;
  return { status, welcome: mayGetMail ? "stored" : "capped" };
}

function decideMailable(
  known: KnownSubscriber | undefined,
  { optIn, receivedAt }: Asked,
): { readonly status: SubscriberStatus; readonly due: boolean } {
  const subscribed = optIn === "single" ? "active" : "pending";
  if (known === undefined) return { status: subscribed, due: true };
  // One that is far ahead was stored by a clock that was.
  const rested = known.welcomedAt === null || Math.abs(receivedAt - known.welcomedAt) >= welcomeIntervalMs;
  if (known.status === "pending") return { status: subscribed, due: rested };
  if (known.status === "unsubscribed") {
    // The first request after unsubscribing always gets a mail. Further ones wait like those of a pending address:
    // otherwise anyone could fill the mailbox of a person who has left.
    const { welcomedAt, unsubscribedAt } = known;
    const firstSince = welcomedAt === null || unsubscribedAt === null || welcomedAt <= unsubscribedAt;
    return { status: optIn === "single" ? "active" : "unsubscribed", due: firstSince || rested };
  }
  // Active needs nothing; bounced and complained are final.
  return { status: known.status, due: false };
}

/** Why an address that an operator adds is left out; null: it is not. Only its owner brings back one that left. */
export function reasonToLeaveOut(
  known: SubscriberStatus | undefined,
  { suppressed, left }: { readonly suppressed: boolean; readonly left: boolean },
  added: "proven" | "unproven",
): LeftOutReason | null {
  if (known !== undefined && (known !== "pending" || added === "unproven")) return known;
  if (left) return "unsubscribed";
  return suppressed ? "suppressed" : null;
}

/** The tokens in the links of one welcome mail, of which only hashes are kept. With single opt-in there is nothing to confirm. */
export function tokensOf(
  { optIn, confirm, unsubscribe, receivedAt }: SubscriptionRecord,
  emailKey: string,
): TableRow<"newsletter_token">[] {
  const token = { email_key: emailKey, created_at: receivedAt };
  const leave = { ...token, token_hash: unsubscribe.hash, purpose: "unsubscribe", expires_at: null };
  if (optIn === "single") return [leave];
  return [{ ...token, token_hash: confirm.hash, purpose: "confirm", expires_at: confirm.expiresAt }, leave];
}

export const welcomeOf = (record: SubscriptionRecord): Welcome => ({
  email: record.email,
  requestId: record.requestId,
  language: record.language,
  confirmToken: record.optIn === "single" ? null : record.confirm.token,
  unsubscribeToken: record.unsubscribe.token,
});

/** The column `tokens` of a welcome mail. It has the request, because the subscriber's row has only that of the first one. */
export const welcomeTokens = ({ requestId, language, confirmToken, unsubscribeToken }: Welcome): string =>
  JSON.stringify({
    request: requestId,
    confirm: confirmToken,
    unsubscribe: unsubscribeToken,
    ...(language !== "en" && { language }),
  });

// Subscribers that came before there were languages have none.
const languageIn = (stored: unknown): Language => (typeof stored === "string" && stored !== "" ? stored : "en");

/** The welcome mail of a row; null when its tokens are gone or cannot be read. */
export function readWelcome(email: string, tokens: string | null): Welcome | null {
  if (tokens === null) return null;
  const { request, confirm, unsubscribe, language } = readFields(tokens);
  if (typeof unsubscribe !== "string" || (typeof confirm !== "string" && confirm !== null)) return null;
  const requestId = typeof request === "string" ? request : "unknown";
  return { email, requestId, language: languageIn(language), confirmToken: confirm, unsubscribeToken: unsubscribe };
}

/** Confirm links are deleted when their subscriber leaves, so one that an unsubscribed address has was asked for since. */
export const linkWorks = (purpose: LinkPurpose, status: SubscriberStatus): boolean =>
  purpose === "unsubscribe" || (status !== "bounced" && status !== "complained");

const subscriberNames = [
  ...(["arrival", "email", "status", "source", "lastSource"] as const),
  ...(["subscribedAt", "confirmedAt", "unsubscribedAt"] as const),
] as const;

export const subscriberColumns = columnsOf("subscriber", [...subscriberNames, "language", "consent"]);

export interface SubscriberRow extends Pick<StoredSubscriber, (typeof subscriberNames)[number]> {
  readonly language: string;
  readonly consent: string | null;
}

export const storedSubscriber = (row: SubscriberRow): StoredSubscriber => ({
  ...picked(row, subscriberNames),
  language: languageIn(row.language),
  consent: readConsent(row.consent),
});

export const subscriberTable = {
  name: "subscriber",
  columns: subscriberColumns,
  number: "arrival",
  numberOf: ({ arrival }: SubscriberRow) => arrival,
  recordOf: storedSubscriber,
};

// The column `consent` after a subscription; null: as it was. Anyone can write down the address of an active subscriber, and
// must not replace what its owner agreed to.
export const newConsent = (known: KnownSubscriber | undefined, { consent }: SubscriptionRecord): string | null =>
  consent === null || known?.status === "active" ? null : JSON.stringify(consent satisfies ConsentRecord);
