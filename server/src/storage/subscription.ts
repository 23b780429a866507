// What subscribing does to an address, known or not. The rule is the same on every engine: an engine reads, asks here,
// and writes, all in one transaction. Knows no SQL and no mail.
import type { SubscriberStatus, SubscriptionRecord } from "./records.ts";
import { welcomeIntervalMs } from "./store.ts";

/** What is known of an address that subscribes again. */
export interface KnownSubscriber {
  readonly status: SubscriberStatus;
  /** When the latest welcome mail was stored. */
  readonly welcomedAt: number;
  readonly unsubscribedAt: number | null;
}

export interface SubscriptionDecision {
  readonly status: SubscriberStatus;
  /** Whether the welcome mail and its tokens are stored. */
  readonly mailed: boolean;
}

/** Decides status and welcome mail. `known` is undefined for a new address. */
export function decideSubscription(
  known: KnownSubscriber | undefined,
  { optIn, receivedAt }: Pick<SubscriptionRecord, "optIn" | "receivedAt">,
): SubscriptionDecision {
  const welcomed = optIn === "single" ? "active" : "pending";
  if (known === undefined) return { status: welcomed, mailed: true };
  const rested = receivedAt - known.welcomedAt >= welcomeIntervalMs;
  if (known.status === "pending") return { status: welcomed, mailed: rested };
  if (known.status === "unsubscribed") {
    // The first request after unsubscribing is always answered. Further ones wait like those of a pending address, or
    // anybody could fill the mailbox of a person who has left.
    const firstSince = known.unsubscribedAt === null || known.welcomedAt <= known.unsubscribedAt;
    return { status: optIn === "single" ? "active" : "unsubscribed", mailed: firstSince || rested };
  }
  // Active needs nothing; bounced and complained are for good.
  return { status: known.status, mailed: false };
}
