// What the port promises about addresses that operators add to the newsletter and unsubscribe.
import { expect } from "vitest";
import { wholeScope } from "../../../server/src/storage/desk-store.ts";
import type { SubscriberStatus, SubscriptionRecord } from "../../../server/src/storage/records.ts";
import type { Store } from "../../../server/src/storage/store.ts";
import {
  accept,
  allMails,
  eva,
  minute,
  noon,
  offer,
  onlySubscriber,
  otherLease,
  sample,
  subscription,
} from "../records.ts";
import { contractTest as test } from "../engine-under-test.ts";

const proof = { text: "Yes, send me news.", page: null, at: noon - 1_000 * minute };
const dueAt = noon + 30 * minute;
const audit = { entry: { action: "subscriber.add", subject: "subscribers", detail: { proven: true } }, actor: eva };

const added = (isProven: boolean, more: Partial<SubscriptionRecord> = {}): SubscriptionRecord =>
  subscription({
    door: "console",
    language: "en",
    consent: isProven ? proof : null,
    added: isProven ? "proven" : "unproven",
    ...more,
  });

const add = (store: Store, record: SubscriptionRecord) => offer(store, record, { audit, lease: { dueAt } });
const actions = async (store: Store) => (await store.desk.listAudit({})).rows.map(({ action }) => action);
const claimAt = (store: Store, at: number) => store.mails.claim(at, 10, { ...otherLease, until: at + minute });

async function hear(store: Store) {
  const events = ["subscriber.confirmed", "subscriber.unsubscribed"] as const;
  await store.webhooks.add({ url: "https://hook.example.org/", events, secret: "whsec_1" }, eva);
}
const told = async (store: Store) =>
  (await store.webhooks.listDeliveries(null, {})).rows.toReversed().map(({ event }) => event);

test("one without a proof of consent is pending, and mailed when that is due, by any process", async ({ store }) => {
  const record = added(false);
  expect(await add(store, record)).toEqual({ result: "accepted", reference: null, mails: [], capped: [] });
  expect(await onlySubscriber(store)).toMatchObject({ status: "pending", confirmedAt: null, consent: null });
  expect(await allMails(store)).toMatchObject([{ kind: "newsletter-welcome", status: "queued", dueAt, attempts: 0 }]);
  expect(await claimAt(store, dueAt - 1)).toEqual([]);
  expect(await claimAt(store, dueAt)).toMatchObject([{ about: { welcome: { confirmToken: record.confirm.token } } }]);
  expect(await store.followLink("confirm", { tokenHash: record.confirm.hash, at: dueAt })).toBe(true);
  expect(await onlySubscriber(store)).toMatchObject({ status: "active", confirmedAt: dueAt });
  expect(await store.desk.listAudit({})).toMatchObject({ rows: [{ ...audit.entry, ...eva }] });
});

test("one with a proof is active at once, without a mail; it is kept, and webhooks are told", async ({ store }) => {
  await hear(store);
  expect(await add(store, added(true))).toMatchObject({ result: "accepted", mails: [], capped: [] });
  const active = { status: "active", confirmedAt: noon, consent: proof, unsubscribedAt: null };
  expect(await onlySubscriber(store)).toMatchObject(active);
  expect(await allMails(store)).toEqual([]);
  expect(await told(store)).toEqual(["subscriber.confirmed"]);
});

test("a proof activates one that is pending", async ({ store }) => {
  await accept(store, subscription());
  const later = noon + minute;
  expect(await add(store, added(true, { receivedAt: later }))).toMatchObject({ result: "accepted" });
  const active = { status: "active", confirmedAt: later, consent: proof, subscribedAt: noon };
  expect(await onlySubscriber(store)).toMatchObject(active);
  expect(await allMails(store)).toHaveLength(1);
});

test("of the same address twice at once, one is left out", async ({ store, tested }) => {
  const other = await tested.openAgain();
  const results = await Promise.all([add(store, added(false)), add(other, added(false)), add(store, added(false))]);
  expect(results.map(({ result }) => result).toSorted()).toEqual(["accepted", "left-out", "left-out"]);
  expect(await allMails(store)).toHaveLength(1);
  expect(await actions(store)).toEqual(["subscriber.add"]);
});

const cases: readonly (readonly [SubscriberStatus, boolean])[] = [
  ["pending", false],
  ...(["active", "unsubscribed", "bounced", "complained"] as const).flatMap(
    (status) =>
      [
        [status, false],
        [status, true],
      ] as const,
  ),
];
test.for(cases)("one that is %s is left out (proof: %s), unchanged", async ([status, isProven], { store, tested }) => {
  await accept(store, subscription());
  await tested.setSubscriber("Reader@example.org", status, noon + 1);
  await hear(store);
  const before = [await onlySubscriber(store), await allMails(store), await actions(store)];
  const again = added(isProven, { receivedAt: noon + 2 * 24 * 60 * minute, source: "fair" });
  expect(await add(store, again)).toEqual({ result: "left-out", reason: status });
  expect([await onlySubscriber(store), await allMails(store), await actions(store)]).toEqual(before);
  expect(await told(store)).toEqual([]);
});

test.for(["unknown", "pending", "erased"])("one that is suppressed and %s is left out", async (known, { store }) => {
  if (known !== "unknown") await accept(store, subscription());
  await store.suppress({ email: "Reader@example.org", reason: "manual", at: noon });
  if (known === "erased") await store.desk.erasePerson("Reader@example.org", eva);
  const before = [await onlySubscriber(store), await actions(store)];
  expect(await add(store, added(true, { receivedAt: noon + 1 }))).toEqual({
    result: "left-out",
    reason: "suppressed",
  });
  expect([await onlySubscriber(store), await actions(store)]).toEqual(before);
});

test("no operator adds an erased subscriber who had left; the person may subscribe again, and gets mail", async ({
  store,
}) => {
  const erase = () => store.desk.erasePerson("READER@example.org", eva);
  const later = (minutes: number) => ({ receivedAt: noon + minutes * minute });
  await accept(store, subscription());
  await store.unsubscribeFor("reader@example.org", eva);
  await erase();
  expect(await Array.fromAsync(store.desk.readPerson(wholeScope, "reader@example.org"))).toEqual([
    { kind: "suppression", reason: "unsubscribed", at: eva.at },
  ]);
  // Who sees no subscribers does not learn of it.
  const unseeing = { ...wholeScope, subscribers: false };
  expect(await Array.fromAsync(store.desk.readPerson(unseeing, "reader@example.org"))).toEqual([]);
  for (const isProven of [true, false])
    expect(await add(store, added(isProven, later(1)))).toEqual({ result: "left-out", reason: "unsubscribed" });
  expect(await onlySubscriber(store)).toBeUndefined();
  expect(await accept(store, sample("inquiry", 1, { email: "reader@example.org" }))).toMatchObject({ capped: [] });
  // The owner comes back, and anyone may have typed the address until it is confirmed.
  const back = subscription(later(2));
  expect(await accept(store, back)).toMatchObject({ mails: [{ kind: "newsletter-welcome" }] });
  const facts = await Array.fromAsync(store.desk.readPerson(wholeScope, "reader@example.org"));
  expect(facts.map(({ kind }) => kind)).toContain("subscription");
  expect(facts.map(({ kind }) => kind)).not.toContain("suppression");
  expect(await add(store, added(true, later(3)))).toEqual({ result: "left-out", reason: "unsubscribed" });
  await store.followLink("confirm", { tokenHash: back.confirm.hash, at: noon + 4 * minute });
  await erase();
  expect(await add(store, added(true, later(5)))).toMatchObject({ result: "accepted" });
});

test.for(["pending", "active"] as const)("unsubscribes a %s one as its link would", async (status, { store }) => {
  await hear(store);
  const record = added(status === "active");
  await add(store, record);
  const at = noon + 5 * minute;
  expect(await store.unsubscribeFor("rEADER@example.org", { ...eva, at })).toBe(true);
  expect(await onlySubscriber(store)).toMatchObject({ status: "unsubscribed", unsubscribedAt: at });
  expect(await store.followLink("confirm", { tokenHash: record.confirm.hash, at })).toBe(false);
  // The welcome mail that waited would hold a link that does not work.
  expect(await allMails(store)).toEqual([]);
  expect(await told(store)).toEqual(status === "active" ? ["subscriber.confirmed", "subscriber.unsubscribed"] : []);
  const { arrival } = (await onlySubscriber(store))!;
  const [entry] = (await store.desk.listAudit({})).rows;
  expect(entry).toMatchObject({
    action: "subscriber.unsubscribe",
    detail: { subscriber: arrival, from: status },
    at,
  });
  expect(JSON.stringify(entry).toLowerCase()).not.toContain("reader@");
  expect(await add(store, added(true, { receivedAt: at + 1 }))).toEqual({
    result: "left-out",
    reason: "unsubscribed",
  });
});

test("a welcome mail that was tried is not taken back", async ({ store }) => {
  await accept(store, subscription());
  expect(await store.unsubscribeFor("reader@example.org", eva)).toBe(true);
  expect(await allMails(store)).toMatchObject([{ kind: "newsletter-welcome", status: "queued" }]);
});

test("unsubscribing an unknown address changes nothing, and is no entry in the audit log", async ({ store }) => {
  expect(await store.unsubscribeFor("reader@example.org", eva)).toBe(false);
  expect(await actions(store)).toEqual([]);
});
