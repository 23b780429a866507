// What news of an address changes, and what stays of one that is erased. Providers repeat their news and mix up its order,
// so the outcome must not depend on either.
import { hash } from "node:crypto";
import type { StoredSubscriber, SubscriberStatus, SuppressionChange, SuppressionReason } from "../records.ts";

export interface Standing {
  /** Null: it may be mailed. */
  readonly reason: SuppressionReason | null;
  readonly at: number;
}

// Of two news of the same instant the weightier one counts, in either order.
const weight = (reason: SuppressionReason | null): number =>
  [null, "manual", "inactive", "unsubscribed", "bounced", "complained"].indexOf(reason);

/** What follows from news of an address; null: it is no news. `change` is null: the subscriber stays as it is, or there is none. */
export function decideNews(
  { reason, at }: SuppressionChange,
  known: Standing | undefined,
  subscriber: KnownAddressee | undefined,
) {
  // Where the provider names no reason of a refusal, an earlier bounce of the address explains it.
  const isExplained = reason === "inactive" && subscriber?.status === "bounced" && known?.reason !== "inactive";
  const news: Standing = { reason: isExplained ? "bounced" : reason, at };
  const standing = decideStanding(known, news) ?? standingOfLateNews(known, news, subscriber);
  if (standing === null) return null;
  // News that only confirms a reason does nothing more to the subscriber.
  const onlyConfirms = standing !== known && standing.reason !== news.reason;
  if (subscriber === undefined || news.reason === null || onlyConfirms) {
    return { standing, change: null, deletesConfirmLinks: false };
  }
  const before = statusBeforeRefusal(subscriber, known);
  const status = statusAfterSuppression(before, news.reason);
  const leaves = status === "unsubscribed" && before !== "unsubscribed";
  return {
    standing,
    change: status === subscriber.status ? null : { status, unsubscribedAt: leaves ? at : subscriber.unsubscribedAt },
    // The links of an inactive address stay: later news may say that its owner did nothing. A bounced one's do not work.
    deletesConfirmLinks: news.reason !== "inactive" && status !== "pending" && status !== "active",
  };
}

/** What is known after the news; null: it changes nothing. */
function decideStanding(known: Standing | undefined, news: Standing): Standing | null {
  if (known === undefined) return news;
  // A complaint is final, and counts however late it comes.
  if (known.reason === "complained") return null;
  // That a mail was refused says less than the reason that is known; it only shows that the reason still holds.
  if (news.reason === "inactive" && known.reason !== null && known.reason !== "inactive") {
    return news.at > known.at ? { reason: known.reason, at: news.at } : null;
  }
  // The reason of a refusal often arrives after the refusal.
  const explains = known.reason === "inactive" && news.reason !== null && news.reason !== "inactive";
  if (news.reason === "complained" || explains) return { reason: news.reason, at: Math.max(known.at, news.at) };
  if (news.at !== known.at) return news.at > known.at ? news : null;
  return weight(news.reason) > weight(known.reason) ? news : null;
}

/**
 * What stays known when a bounce or an unsubscription arrives after newer news: the address may be mailed as before, but
 * the subscriber gets the status that they would have if it had arrived in time. Null when that changes nothing, or when the
 * subscriber has asked for the newsletter since.
 */
function standingOfLateNews(
  known: Standing | undefined,
  { reason, at }: Standing,
  subscriber: KnownAddressee | undefined,
): Standing | null {
  if (known === undefined || subscriber === undefined || at > known.at) return null;
  if (reason !== "bounced" && reason !== "unsubscribed") return null;
  const { subscribedAt, welcomedAt, confirmedAt, status } = subscriber;
  const hasAskedSince = Math.max(subscribedAt, welcomedAt ?? 0, confirmedAt ?? 0) > at;
  return hasAskedSince || statusAfterSuppression(status, reason) === status ? null : known;
}

export interface KnownAddressee extends Pick<
  StoredSubscriber,
  "status" | "subscribedAt" | "confirmedAt" | "unsubscribedAt"
> {
  /** When the latest welcome mail was stored; null when none was. */
  readonly welcomedAt: number | null;
  /** Whether a confirm link is stored, expired or not; active ones by single opt-in never had one. */
  readonly hasConfirmLink: boolean;
}

/** The status without a refusal that is explained only now. Only pending and active subscribers become bounced by one. */
function statusBeforeRefusal(subscriber: KnownAddressee, known: Standing | undefined): SubscriberStatus {
  if (subscriber.status !== "bounced" || known?.reason !== "inactive") return subscriber.status;
  // The subscriber left after the refusal.
  if (subscriber.unsubscribedAt !== null) return "unsubscribed";
  const singleOptIn = subscriber.welcomedAt !== null && !subscriber.hasConfirmLink;
  return subscriber.confirmedAt !== null || singleOptIn ? "active" : "pending";
}

/** What becomes of a subscriber whose address is suppressed. Only the owner's consent makes one active again. */
function statusAfterSuppression(status: SubscriberStatus, reason: SuppressionReason): SubscriberStatus {
  if (status === "complained" || reason === "manual") return status;
  if (reason === "complained") return "complained";
  if (status === "bounced" || reason === "bounced") return "bounced";
  if (reason === "unsubscribed" || status === "unsubscribed") return "unsubscribed";
  // Inactive: mail does not arrive, whatever the cause.
  return "bounced";
}

/** Marks a key of `suppression` that is a hash; no address begins with it. */
const hashedPrefix = "sha256:";

/** The key of an erased address that is not to be mailed. A later submission of the address is recognised by it. */
export const hashedKey = (emailKey: string): string => hashedPrefix + hash("sha256", emailKey);

/** Marks what stays of an erased subscriber who had left; no address has a colon. */
const leftPrefix = "left:";

/** The key of an erased subscriber who had left. No operator adds the address again; mail is not suppressed by it. */
export const leftKey = (emailKey: string): string => leftPrefix + hashedKey(emailKey);

export const isLeftKey = (key: string): boolean => key.startsWith(leftPrefix);
