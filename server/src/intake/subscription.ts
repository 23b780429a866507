// A subscription. Every address gets the same answer after the same time, so that neither shows who is subscribed.
import { type CheckedSubscription, subscribed, type SubscribeReceipt } from "@submissions/shared/subscription";
import { drawSecret, hashSecret } from "../secrets.ts";
import { confirmMs } from "../storage/limits.ts";
import type { LinkToken, SubscriptionRecord } from "../storage/records.ts";
import type { Call } from "./call.ts";
import { submit, type Feature, type Intake } from "./submit.ts";

// No answer comes sooner. A new address takes milliseconds longer to store than one that is known, and spam takes none.
// Callers cannot see the difference as long as a commit takes less than this.
const answerMsMin = 33;

const subscription = ({ newsletterOptIn: optIn }: Intake): Feature<CheckedSubscription, SubscribeReceipt> => ({
  procedure: "newsletter.subscribe",
  record: ({ source }, { received }) => ({
    ...received,
    kind: "subscription",
    source,
    optIn,
    ...newLinks(received.receivedAt),
  }),
  delivery: "untold",
  receipt: () => ({ message: subscribed[optIn] }),
});

export const newLinks = (at: number): Pick<SubscriptionRecord, "confirm" | "unsubscribe"> => ({
  confirm: { ...newToken(), expiresAt: at + confirmMs },
  unsubscribe: newToken(),
});

function newToken(): LinkToken {
  const token = drawSecret();
  return { token, hash: hashSecret(token) };
}

/** Accepts a subscription, in a time that does not depend on what is known of the address. */
export async function subscribe(intake: Intake, input: CheckedSubscription, call: Call): Promise<SubscribeReceipt> {
  const [receipt] = await Promise.all([submit(intake, subscription(intake), input, call), atLeast(answerMsMin)]);
  return receipt;
}

const atLeast = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
