// What happens when someone subscribes. Every address, known or not, gets the same answer by the same steps, so that
// neither the words nor the time tell who is subscribed.
import { createHash, randomBytes } from "node:crypto";
import type { SubscribeInput, SubscribeReceipt } from "@submissions/shared/newsletter";
import type { Deps } from "../deps.ts";
import { composeWelcomeMail } from "../mail/compose.ts";
import type { OriginRecord } from "../storage/records.ts";

/** A confirm link works for seven days. Unsubscribe links do not expire. */
const confirmMs = 7 * 24 * 60 * 60 * 1000;

export async function acceptSubscription(
  deps: Deps,
  input: SubscribeInput,
  origin: OriginRecord,
): Promise<SubscribeReceipt> {
  const receivedAt = deps.clock.now();
  const confirm = newToken();
  const unsubscribe = newToken();
  const welcome = composeWelcomeMail(
    {
      email: input.email,
      optIn: deps.newsletterOptIn,
      confirmToken: confirm.token,
      unsubscribeToken: unsubscribe.token,
    },
    deps.mail,
  );
  const { mailed } = await deps.store.acceptSubscription(
    {
      email: input.email,
      source: input.source,
      optIn: deps.newsletterOptIn,
      confirmTokenHash: confirm.hash,
      confirmExpiresAt: receivedAt + confirmMs,
      unsubscribeTokenHash: unsubscribe.hash,
      receivedAt,
      origin,
    },
    welcome,
    deps.outbox.lease(receivedAt),
  );
  // Not awaited: whether a mail goes out must not show in the time the answer takes.
  if (mailed) void deps.outbox.deliverNow([welcome], receivedAt);
  return {
    message:
      deps.newsletterOptIn === "double"
        ? "Thank you. Please check your inbox and confirm your subscription."
        : "Thank you for subscribing.",
  };
}

// 256 bits: a link that nobody guesses. Only its hash is stored, so that a copy of the database opens no link.
function newToken(): { token: string; hash: string } {
  const token = randomBytes(32).toString("base64url");
  return { token, hash: createHash("sha256").update(token).digest("hex") };
}
