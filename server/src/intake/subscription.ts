// What happens when someone subscribes. Every address, known or not, gets the same answer after the same time, so that
// neither tells who is subscribed.
import type { SubscribeInput, SubscribeReceipt } from "@submissions/shared/subscription";
import type { Deps } from "../deps.ts";
import { composeWelcomeMail } from "../mail/compose.ts";
import { answerOnce, type Circumstances, type Used } from "./answer-once.ts";
import type { Call } from "./call.ts";
import { deliverStored } from "./deliver-stored.ts";
import { newToken } from "./newsletter-token.ts";

/** A confirm link works for seven days. Unsubscribe links do not expire. */
const confirmMs = 7 * 24 * 60 * 60 * 1000;

/** No answer comes sooner. An address that is new, with its links and its mail, takes milliseconds longer to store than one
 * that is known, and what the trap caught takes none; all of them are stored by then, unless the disk is very busy. */
const answerMsMin = 25;

export function acceptSubscription(deps: Deps, input: SubscribeInput, call: Call): Promise<SubscribeReceipt> {
  const receivedAt = deps.clock.now();
  const receipt = {
    message:
      deps.newsletterOptIn === "double"
        ? "Thank you. Please check your inbox and confirm your subscription."
        : "Thank you for subscribing.",
  };
  return answerOnce(deps, call, {
    procedure: "newsletter.subscribe",
    input,
    receivedAt,
    replay: () => receipt,
    accept: async (once) => {
      const [used] = await Promise.all([
        storeSubscription(deps, input, { call, receivedAt, ...once }),
        new Promise((resolve) => setTimeout(resolve, answerMsMin)),
      ]);
      return used ?? receipt;
    },
  });
}

/** Answers null when it is stored, or forgotten as it should be. */
async function storeSubscription(
  deps: Deps,
  { email, source }: SubscribeInput,
  { call, receivedAt, idempotency, challenge }: Circumstances,
): Promise<Used | null> {
  if (call.trapped) {
    // Counted and forgotten: there is nothing in it but an address that a program made up or took from somebody, and
    // whoever really wants the newsletter subscribes again.
    const forgotten = await deps.store.acceptNothing(idempotency, challenge);
    return forgotten.result === "accepted" ? null : forgotten.result;
  }
  const optIn = deps.newsletterOptIn;
  const confirm = newToken();
  const unsubscribe = newToken();
  const tokens = { confirmToken: confirm.token, unsubscribeToken: unsubscribe.token };
  const welcome = composeWelcomeMail({ email, optIn, ...tokens }, deps.mail);
  const subscription = {
    email,
    source,
    optIn,
    confirmTokenHash: confirm.hash,
    confirmExpiresAt: receivedAt + confirmMs,
    unsubscribeTokenHash: unsubscribe.hash,
    receivedAt,
    origin: call.origin,
    emailDisposable: deps.isDisposable(email),
  };
  const lease = deps.outbox.lease(receivedAt);
  const accepted = await deps.store.acceptSubscription(subscription, welcome, lease, idempotency, challenge);
  if (accepted.result !== "accepted") return accepted.result;
  // Not awaited: whether a mail goes out must not show in the time the answer takes.
  void deliverStored(deps, [welcome], accepted, receivedAt);
  return null;
}
