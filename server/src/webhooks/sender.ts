// Sends what webhooks are to be told. A receiver may get a delivery twice, when a process dies between its answer and the
// record of it; the id tells. Each webhook has calls of its own, so a slow receiver holds up no other one.
import { randomUUID } from "node:crypto";
import type { Log } from "../observe/log.ts";
import { repeatedly } from "../repeatedly.ts";
import type { Store } from "../storage/store.ts";
import { type DeliverySettlement, keptBack, type LeasedDelivery } from "../storage/webhook-store.ts";
import type { PostOptions } from "./post.ts";

const callsPerWebhookMax = 8;
/** Longer than a call can take. */
const leaseMs = 60_000;

interface SenderOptions {
  readonly store: Pick<Store, "clock" | "deliveries">;
  readonly targets: PostOptions["targets"];
  /** The base address of links. Asked for once the server listens. */
  readonly publicUrl: () => string;
  readonly log: Log;
  readonly tried?: (result: DeliverySettlement["result"]) => void;
  /** How often due deliveries are looked for: a look at an index that is empty most of the time. */
  readonly pollMs?: number;
}

/** Begins to send. Disposing breaks off the calls under way, which the next process makes again. */
export function startSender({ store, targets, publicUrl, log, tried, pollMs = 1_000 }: SenderOptions) {
  const { deliveries, clock } = store;
  const owner = randomUUID();
  const stopping = new AbortController();
  const { signal } = stopping;
  const underWay = new Map<string, { readonly webhook: number; readonly calling: Promise<void> }>();
  const failed = (error: unknown) => log.error({ err: error }, "webhook poll failed; will retry");

  async function deliver(delivery: LeasedDelivery): Promise<void> {
    const { id, about, url, secrets } = delivery;
    const settle = (settlement: DeliverySettlement) => deliveries.settle([settlement], owner);
    // An operator has found it to be spam since.
    if ("submission" in about && about.submission.status === "spam") {
      return settle({ id, at: clock.now(), result: "failed", answer: keptBack });
    }
    // A service without webhooks does without these.
    const { afterTry, payloadOf, signedHeaders } = await import("./delivery.ts");
    const { post } = await import("./post.ts");
    const body = payloadOf(delivery, publicUrl());
    const answer = await post(url, body, signedHeaders(id, body, secrets, clock.now()), { targets, signal });
    const now = clock.now();
    // Whether it arrived is not known: it is sent again.
    if (signal.aborted && "failure" in answer)
      return settle({ id, at: now, result: "later", dueAt: now, answer: null });
    const settlement = afterTry(delivery, answer, now);
    tried?.(settlement.result);
    if (settlement.result !== "delivered") {
      log.warn(
        { webhook: delivery.webhook, delivery: id, code: settlement.answer ?? "" },
        settlement.result === "later" ? "webhook delivery failed; retry scheduled" : "webhook delivery failed for good",
      );
    }
    await settle(settlement);
  }

  const callsOf = (webhook: number) => [...underWay.values()].filter((one) => one.webhook === webhook).length;

  function call(delivery: LeasedDelivery): void {
    const { id, webhook } = delivery;
    const ended = () => {
      underWay.delete(id);
      // The webhook may have more deliveries that are due. Not for each call that ends: a claim is a transaction.
      if (callsOf(webhook) <= callsPerWebhookMax / 2) polling.hurry();
    };
    // A settlement that the store did not take: the lease ends, and it is sent again.
    underWay.set(id, { webhook, calling: deliver(delivery).catch(failed).then(ended) });
  }

  async function round(): Promise<void> {
    const now = clock.now();
    const lease = { owner, until: now + leaseMs };
    const lanes = Array.from(underWay.values(), ({ webhook }) => webhook);
    const claimed = await deliveries.claim(now, callsPerWebhookMax, lease, { underWay: lanes });
    // When the clock was set, its lease has ended although it is under way.
    for (const delivery of claimed) if (!underWay.has(delivery.id)) call(delivery);
  }

  const polling = repeatedly(async () => {
    await round().catch(failed);
    return pollMs;
  });

  return {
    async [Symbol.asyncDispose](): Promise<void> {
      stopping.abort();
      await polling[Symbol.asyncDispose]();
      await Promise.all(Array.from(underWay.values(), ({ calling }) => calling));
    },
  };
}
