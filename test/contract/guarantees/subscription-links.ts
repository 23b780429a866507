// What the port promises about the links in welcome mails: what following one does, and which ones do nothing.
import { expect, test } from "vitest";
import type { SubscriberStatus, SubscriptionRecord } from "../../../server/src/storage/records.ts";
import { type Store, welcomeIntervalMs } from "../../../server/src/storage/store.ts";
import { accept, minute, noon, onlySubscriber, subscribers, subscription } from "../records.ts";
import type { OpenStoreUnderTest } from "../store-under-test.ts";

const week = 7 * 24 * 60 * minute;

async function subscribed(store: Store, more: Partial<SubscriptionRecord> = {}): Promise<SubscriptionRecord> {
  const stored = subscription(more);
  await accept(store, stored);
  return stored;
}

const confirmLink = ({ confirm }: SubscriptionRecord, at = noon + 1) => ({ tokenHash: confirm.hash, at });
const leaveLink = ({ unsubscribe }: SubscriptionRecord, at = noon + 1) => ({ tokenHash: unsubscribe.hash, at });

export function subscriptionLinkGuarantees(open: OpenStoreUnderTest): void {
  confirming(open);
  leaving(open);
  linksThatDoNothing(open);
}

function confirming(open: OpenStoreUnderTest): void {
  test("makes a pending subscriber active, and following the link again changes nothing", async () => {
    await using tested = await open();
    const first = await subscribed(tested.store);
    expect(await tested.store.confirmSubscription(confirmLink(first))).toBe(true);
    const active = { status: "active", confirmedAt: noon + 1, unsubscribedAt: null };
    expect(await onlySubscriber(tested.store)).toMatchObject(active);
    expect(await tested.store.confirmSubscription(confirmLink(first, noon + 2))).toBe(true);
    expect(await onlySubscriber(tested.store)).toMatchObject(active);
  });

  test("confirms once when the link is followed many times at once", async () => {
    await using tested = await open();
    const other = await tested.openAgain();
    const first = await subscribed(tested.store);
    const stores = [tested.store, other, tested.store, other];
    const link = confirmLink(first);
    expect(await Promise.all(stores.map((store) => store.confirmSubscription(link)))).toEqual([true, true, true, true]);
    expect(await onlySubscriber(tested.store)).toMatchObject({ status: "active", confirmedAt: noon + 1 });
  });

  test("takes every confirm link that has not expired, the earlier ones too", async () => {
    await using tested = await open();
    const first = await subscribed(tested.store);
    await subscribed(tested.store, { receivedAt: noon + welcomeIntervalMs });
    expect(await tested.store.confirmSubscription(confirmLink(first, noon + week - 1))).toBe(true);
    expect(await onlySubscriber(tested.store)).toMatchObject({ status: "active" });
  });

  test("makes an unsubscribed subscriber active by a link that was asked for since", async () => {
    await using tested = await open();
    const first = await subscribed(tested.store);
    await tested.store.unsubscribe(leaveLink(first));
    const again = await subscribed(tested.store, { receivedAt: noon + 2 });
    expect(await onlySubscriber(tested.store)).toMatchObject({ status: "unsubscribed" });
    expect(await tested.store.confirmSubscription(confirmLink(again, noon + 3))).toBe(true);
    const active = { status: "active", confirmedAt: noon + 3, unsubscribedAt: null };
    expect(await onlySubscriber(tested.store)).toMatchObject(active);
  });
}

function leaving(open: OpenStoreUnderTest): void {
  test.each<SubscriberStatus>(["pending", "active"])("unsubscribes a subscriber who is %s, once", async (status) => {
    await using tested = await open();
    const first = await subscribed(tested.store);
    await tested.setSubscriber(first.email, status, noon);
    expect(await tested.store.unsubscribe(leaveLink(first))).toBe(true);
    expect(await tested.store.unsubscribe(leaveLink(first, noon + 5))).toBe(true);
    expect(await onlySubscriber(tested.store)).toMatchObject({ status: "unsubscribed", unsubscribedAt: noon + 1 });
  });

  test.each([
    ["bounced", noon + 1],
    ["complained", null],
  ] as const)("leaves a subscriber who is %s that", async (status, unsubscribedAt) => {
    await using tested = await open();
    const first = await subscribed(tested.store);
    await tested.setSubscriber(first.email, status, noon);
    expect(await tested.store.unsubscribe(leaveLink(first))).toBe(true);
    expect(await onlySubscriber(tested.store)).toMatchObject({ status, unsubscribedAt });
  });

  test("unsubscribing again after another welcome mail earns another one when it is asked for", async () => {
    await using tested = await open();
    const { store } = tested;
    const [first, second] = [subscription(), subscription({ receivedAt: noon + 2 })];
    await accept(store, first);
    await store.unsubscribe(leaveLink(first));
    expect((await accept(store, second)).mails).toHaveLength(1);
    expect(await store.unsubscribe(leaveLink(second, noon + 3))).toBe(true);
    expect(await store.unsubscribe(leaveLink(second, noon + 4))).toBe(true);
    expect(await onlySubscriber(store)).toMatchObject({ status: "unsubscribed", unsubscribedAt: noon + 3 });
    expect((await accept(store, subscription({ receivedAt: noon + 5 }))).mails).toHaveLength(1);
  });

  test("lets unsubscribe links work for good, also those of earlier mails", async () => {
    await using tested = await open();
    const first = await subscribed(tested.store);
    await tested.store.unsubscribe(leaveLink(first));
    const again = await subscribed(tested.store, { receivedAt: noon + 2 });
    await tested.store.confirmSubscription(confirmLink(again, noon + 3));
    const years = noon + 1000 * week;
    expect(await tested.store.unsubscribe(leaveLink(first, years))).toBe(true);
    expect(await onlySubscriber(tested.store)).toMatchObject({ status: "unsubscribed", unsubscribedAt: years });
  });

  test("deletes every confirm link of the address, so that an old one never resubscribes", async () => {
    await using tested = await open();
    const first = await subscribed(tested.store);
    const second = await subscribed(tested.store, { receivedAt: noon + welcomeIntervalMs });
    const other = await subscribed(tested.store, { email: "zoe@example.org" });
    await tested.store.unsubscribe(leaveLink(second, noon + welcomeIntervalMs + 1));
    for (const deleted of [first, second]) {
      expect(await tested.store.confirmSubscription(confirmLink(deleted, noon + welcomeIntervalMs + 2))).toBe(false);
    }
    expect((await subscribers(tested.store))[0]).toMatchObject({ status: "unsubscribed" });
    expect(await tested.store.confirmSubscription(confirmLink(other))).toBe(true);
  });

  test("deletes the confirm link of a renewed subscription that is called off", async () => {
    await using tested = await open();
    const first = await subscribed(tested.store);
    await tested.store.unsubscribe(leaveLink(first));
    const again = await subscribed(tested.store, { receivedAt: noon + 2 });
    expect(await tested.store.unsubscribe(leaveLink(again, noon + 3))).toBe(true);
    expect(await tested.store.confirmSubscription(confirmLink(again, noon + 4))).toBe(false);
    expect(await onlySubscriber(tested.store)).toMatchObject({ status: "unsubscribed", unsubscribedAt: noon + 3 });
  });
}

function linksThatDoNothing(open: OpenStoreUnderTest): void {
  test("do nothing when they are unknown, expired or for something else, and say so alike", async () => {
    await using tested = await open();
    const first = await subscribed(tested.store);
    const before = await onlySubscriber(tested.store);
    const { store } = tested;
    expect(await store.confirmSubscription({ tokenHash: "ab".repeat(32), at: noon })).toBe(false);
    expect(await store.unsubscribe({ tokenHash: "ab".repeat(32), at: noon })).toBe(false);
    expect(await store.confirmSubscription(confirmLink(first, first.confirm.expiresAt))).toBe(false);
    expect(await store.confirmSubscription(leaveLink(first))).toBe(false);
    expect(await store.unsubscribe(confirmLink(first))).toBe(false);
    expect(await onlySubscriber(store)).toEqual(before);
  });

  test("are told from those that work by looking, which changes nothing", async () => {
    await using tested = await open();
    const first = await subscribed(tested.store);
    const before = await onlySubscriber(tested.store);
    const { store } = tested;
    expect(await store.checkLink("confirm", confirmLink(first))).toBe(true);
    expect(await store.checkLink("confirm", confirmLink(first, first.confirm.expiresAt))).toBe(false);
    expect(await store.checkLink("confirm", leaveLink(first))).toBe(false);
    expect(await store.checkLink("unsubscribe", leaveLink(first))).toBe(true);
    expect(await store.checkLink("unsubscribe", confirmLink(first))).toBe(false);
    expect(await store.checkLink("unsubscribe", { tokenHash: "ab".repeat(32), at: noon })).toBe(false);
    expect(await onlySubscriber(store)).toEqual(before);
  });
}
