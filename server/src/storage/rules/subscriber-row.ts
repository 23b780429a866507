// Subscribers as rows, and what becomes of the consent that came with a subscription.
import { languageOf } from "@submissions/shared/language";
import type { ConsentRecord, StoredSubscriber, SubscriptionRecord } from "../records.ts";
import type { KnownSubscriber } from "./subscription.ts";
import { readConsent } from "./submission-row.ts";

/** Quoted names keep their case on both engines. */
export const subscriberColumns = `arrival, email, status, source, last_source AS "lastSource",
  subscribed_at AS "subscribedAt", confirmed_at AS "confirmedAt", unsubscribed_at AS "unsubscribedAt", language, consent`;

export interface SubscriberRow extends Omit<StoredSubscriber, "language" | "consent"> {
  readonly language: string;
  readonly consent: string | null;
}

export const storedSubscriber = (row: SubscriberRow): StoredSubscriber => ({
  arrival: row.arrival,
  email: row.email,
  status: row.status,
  source: row.source,
  lastSource: row.lastSource,
  subscribedAt: row.subscribedAt,
  confirmedAt: row.confirmedAt,
  unsubscribedAt: row.unsubscribedAt,
  language: languageOf(row.language),
  consent: readConsent(row.consent),
});

/**
 * The column `consent` after a subscription; null: as it was. Anyone can write down the address of an active subscriber,
 * and must not replace what its owner agreed to.
 */
export const newConsent = (known: KnownSubscriber | undefined, { consent }: SubscriptionRecord): string | null =>
  consent === null || known?.status === "active" ? null : JSON.stringify(consent satisfies ConsentRecord);
