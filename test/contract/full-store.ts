// A store with something of everything, for the tests that move it.
import { webhookEvents } from "../../shared/src/console.ts";
import type { Store } from "../../server/src/storage/store.ts";
import {
  accept,
  acceptReference,
  allMails,
  application,
  applications,
  digest,
  inquiries,
  inquiry,
  minute,
  noon,
  settle,
  subscribers,
  subscription,
} from "./records.ts";
import type { StoreUnderTest } from "./store-under-test.ts";

const key = (number: number) => ({
  procedure: "marketplace.inquiry",
  keyHash: `${number}`.repeat(64),
  fingerprint: "f",
  createdAt: noon,
});

/** Fills a store with something of everything, closes it and answers what it holds. */
export async function fill({ store, deleteSubmission, deleteSubscriber }: StoreUnderTest) {
  const challenge = { hash: "c".repeat(64), expiresAt: noon + minute };
  const first = await accept(store, inquiry(1, { name: "Zoë “Q” O'Neil \\ 🎙️" }), { key: key(1), challenge });
  await Promise.all(Array.from({ length: 510 }, (_, n) => accept(store, inquiry(10 + n))));
  await accept(store, application(2, { coverLetter: "line\n\tnext" }));
  await accept(store, application(3, { resume: null }), { spam: true });
  const webhook = { url: "https://receiver.example.org", events: webhookEvents, secret: "whsec_1" };
  await store.webhooks.add(webhook, { operator: "command line", at: noon });
  await accept(store, application(4, { resume: null }));
  await store.storeDigest(digest, noon);
  await accept(store, subscription(), { key: key(2) });
  await accept(store, subscription({ email: "erased@example.org" }));
  await store.suppress({ email: "no@example.org", reason: "bounced", at: noon });
  await settle(store, { sent: first.mails.slice(0, 1) });
  // The newest of each are erased: their numbers must not come back.
  const erased = await acceptReference(store, inquiry(9));
  await deleteSubmission(erased);
  await deleteSubscriber("erased@example.org");
  const held = await everythingOf(store);
  await store[Symbol.asyncDispose]();
  return { held, erased };
}

export const everythingOf = async (store: Store) => ({
  identity: store.identity,
  inquiries: await inquiries(store),
  applications: await applications(store),
  subscribers: await subscribers(store),
  mails: await allMails(store),
  webhooks: await store.webhooks.list(),
  deliveries: (await store.webhooks.listDeliveries(null, {})).rows,
  earlier: [await store.findEarlier(key(1)), await store.findEarlier(key(2))],
});
