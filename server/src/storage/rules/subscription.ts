// What subscribing does to an address, known or not. The rule is the same on every engine: an engine reads, asks here,
// and writes, all in one transaction. Knows no SQL and no mail.
import type { LinkPurpose, SubscriberStatus, SubscriptionRecord } from "../records.ts";
import { welcomeIntervalMs } from "../store.ts";

/** What is known of an address that subscribes again. */
export interface KnownSubscriber {
  readonly status: SubscriberStatus;
  /** When the latest welcome mail was stored; null when none was. */
  readonly welcomedAt: number | null;
  readonly unsubscribedAt: number | null;
}

export interface SubscriptionDecision {
  readonly status: SubscriberStatus;
  /** Whether the welcome mail and its tokens are stored. */
  readonly mailed: boolean;
}

/** What the address may be sent, see `automatic-mail.ts`. */
export interface Mailable {
  readonly suppressed: boolean;
  /** One more automatic mail may go to it now; never to a suppressed one. */
  readonly allowed: boolean;
}

/** Decides status and welcome mail. `known` is undefined for a new address. */
export function decideSubscription(
  known: KnownSubscriber | undefined,
  { optIn, receivedAt }: Pick<SubscriptionRecord, "optIn" | "receivedAt">,
  { suppressed, allowed }: Mailable,
): SubscriptionDecision {
  // No newsletter could reach a suppressed address, so a request alone makes no active subscriber of it.
  const decided = decideMailable(known, { optIn: suppressed ? "double" : optIn, receivedAt });
  return { status: decided.status, mailed: decided.mailed && allowed };
}

function decideMailable(
  known: KnownSubscriber | undefined,
  { optIn, receivedAt }: Pick<SubscriptionRecord, "optIn" | "receivedAt">,
): SubscriptionDecision {
  const welcomed = optIn === "single" ? "active" : "pending";
  if (known === undefined) return { status: welcomed, mailed: true };
  const rested = known.welcomedAt === null || receivedAt - known.welcomedAt >= welcomeIntervalMs;
  if (known.status === "pending") return { status: welcomed, mailed: rested };
  if (known.status === "unsubscribed") {
    // The first request after unsubscribing is always answered. Further ones wait like those of a pending address, or
    // anybody could fill the mailbox of a person who has left.
    const { welcomedAt, unsubscribedAt } = known;
    const firstSince = welcomedAt === null || unsubscribedAt === null || welcomedAt <= unsubscribedAt;
    return { status: optIn === "single" ? "active" : "unsubscribed", mailed: firstSince || rested };
  }
  // Active needs nothing; bounced and complained are for good.
  return { status: known.status, mailed: false };
}

/**
 * Whether a link that was found does anything. Confirm links are deleted when their subscriber leaves, so one that an
 * unsubscribed address has was asked for since.
 */
export const linkWorks = (purpose: LinkPurpose, status: SubscriberStatus): boolean =>
  purpose === "unsubscribe" || (status !== "bounced" && status !== "complained");
