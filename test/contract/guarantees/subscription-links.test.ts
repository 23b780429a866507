// What the port promises about the links in welcome mails: what following one does, and which ones do nothing.
import { expect } from "vitest";
import { welcomeIntervalMs } from "../../../server/src/storage/limits.ts";
import type { SubscriberStatus, SubscriptionRecord } from "../../../server/src/storage/records.ts";
import type { Store } from "../../../server/src/storage/store.ts";
import { accept, minute, noon, onlySubscriber, subscribers, subscription } from "../records.ts";
import { contractTest as test } from "../engine-under-test.ts";

const week = 7 * 24 * 60 * minute;

async function subscribed(store: Store, more: Partial<SubscriptionRecord> = {}): Promise<SubscriptionRecord> {
  const stored = subscription(more);
  await accept(store, stored);
  return stored;
}

const confirmLink = ({ confirm }: SubscriptionRecord, at = noon + 1) => ({ tokenHash: confirm.hash, at });
const leaveLink = ({ unsubscribe }: SubscriptionRecord, at = noon + 1) => ({ tokenHash: unsubscribe.hash, at });

test("makes a pending subscriber active, and following the link again changes nothing", async ({ store }) => {
  const first = await subscribed(store);
  expect(await store.followLink("confirm", confirmLink(first))).toBe(true);
  const active = { status: "active", confirmedAt: noon + 1, unsubscribedAt: null };
  expect(await onlySubscriber(store)).toMatchObject(active);
  expect(await store.followLink("confirm", confirmLink(first, noon + 2))).toBe(true);
  expect(await onlySubscriber(store)).toMatchObject(active);
});

test("confirms once when the link is followed many times at once", async ({ store, tested }) => {
  const other = await tested.openAgain();
  const first = await subscribed(store);
  const stores = [store, other, store, other];
  const link = confirmLink(first);
  expect(await Promise.all(stores.map((one) => one.followLink("confirm", link)))).toEqual([true, true, true, true]);
  expect(await onlySubscriber(store)).toMatchObject({ status: "active", confirmedAt: noon + 1 });
});

test("takes every confirm link that has not expired, the earlier ones too", async ({ store }) => {
  const first = await subscribed(store);
  await subscribed(store, { receivedAt: noon + welcomeIntervalMs });
  expect(await store.followLink("confirm", confirmLink(first, noon + week - 1))).toBe(true);
  expect(await onlySubscriber(store)).toMatchObject({ status: "active" });
});

test.for<SubscriberStatus>(["pending", "active"])(
  "unsubscribes a subscriber who is %s, once",
  async (status, { store, tested }) => {
    const first = await subscribed(store);
    await tested.setSubscriber(first.email, status, noon);
    expect(await store.followLink("unsubscribe", leaveLink(first))).toBe(true);
    expect(await store.followLink("unsubscribe", leaveLink(first, noon + 5))).toBe(true);
    expect(await onlySubscriber(store)).toMatchObject({ status: "unsubscribed", unsubscribedAt: noon + 1 });
  },
);

test.for([
  ["bounced", noon + 1],
  ["complained", null],
] as const)("leaves a subscriber who is %s that", async ([status, unsubscribedAt], { store, tested }) => {
  const first = await subscribed(store);
  await tested.setSubscriber(first.email, status, noon);
  expect(await store.followLink("unsubscribe", leaveLink(first))).toBe(true);
  expect(await onlySubscriber(store)).toMatchObject({ status, unsubscribedAt });
});

test("unsubscribing again after another welcome mail earns another one when it is asked for", async ({ store }) => {
  const [first, second] = [subscription(), subscription({ receivedAt: noon + 2 })];
  await accept(store, first);
  await store.followLink("unsubscribe", leaveLink(first));
  expect((await accept(store, second)).mails).toHaveLength(1);
  expect(await store.followLink("unsubscribe", leaveLink(second, noon + 3))).toBe(true);
  expect(await store.followLink("unsubscribe", leaveLink(second, noon + 4))).toBe(true);
  expect(await store.followLink("confirm", confirmLink(second, noon + 4))).toBe(false);
  expect(await onlySubscriber(store)).toMatchObject({ status: "unsubscribed", unsubscribedAt: noon + 3 });
  expect((await accept(store, subscription({ receivedAt: noon + 5 }))).mails).toHaveLength(1);
});

test("lets unsubscribe links work for good, also those of earlier mails", async ({ store }) => {
  const first = await subscribed(store);
  await store.followLink("unsubscribe", leaveLink(first));
  const again = await subscribed(store, { receivedAt: noon + 2 });
  expect(await store.followLink("confirm", confirmLink(again, noon + 3))).toBe(true);
  const active = { status: "active", confirmedAt: noon + 3, unsubscribedAt: null };
  expect(await onlySubscriber(store)).toMatchObject(active);
  const years = noon + 1000 * week;
  expect(await store.followLink("unsubscribe", leaveLink(first, years))).toBe(true);
  expect(await onlySubscriber(store)).toMatchObject({ status: "unsubscribed", unsubscribedAt: years });
});

test("deletes every confirm link of the address, so that an old one never resubscribes", async ({ store }) => {
  const first = await subscribed(store);
  const second = await subscribed(store, { receivedAt: noon + welcomeIntervalMs });
  const other = await subscribed(store, { email: "zoe@example.org" });
  await store.followLink("unsubscribe", leaveLink(second, noon + welcomeIntervalMs + 1));
  for (const deleted of [first, second]) {
    expect(await store.followLink("confirm", confirmLink(deleted, noon + welcomeIntervalMs + 2))).toBe(false);
  }
  expect((await subscribers(store))[0]).toMatchObject({ status: "unsubscribed" });
  expect(await store.followLink("confirm", confirmLink(other))).toBe(true);
});

test("do nothing when unknown, expired or for something else; looking changes nothing", async ({ store, tested }) => {
  const first = await subscribed(store);
  const before = await onlySubscriber(store);
  const unknown = { tokenHash: "ab".repeat(32), at: noon };
  for (const [what, link] of [
    ["confirm", unknown],
    ["unsubscribe", unknown],
    ["confirm", confirmLink(first, first.confirm.expiresAt)],
    ["confirm", leaveLink(first)],
    ["unsubscribe", confirmLink(first)],
  ] as const) {
    expect([await store.checkLink(what, link), await store.followLink(what, link)]).toEqual([false, false]);
  }
  expect(await store.checkLink("confirm", confirmLink(first))).toBe(true);
  expect(await store.checkLink("unsubscribe", leaveLink(first))).toBe(true);
  expect(await onlySubscriber(store)).toEqual(before);
  // Those that have expired go with the next welcome mail.
  const { expiresAt } = first.confirm;
  await subscribed(store, {
    receivedAt: expiresAt,
    confirm: { hash: "cd".repeat(32), token: "t", expiresAt: expiresAt + 1 },
  });
  expect(await tested.query("SELECT purpose FROM newsletter_token WHERE purpose = 'confirm'")).toHaveLength(1);
});
