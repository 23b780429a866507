// What the port promises about webhooks: who hears of what, once and in the transaction of the event.
import { expect } from "vitest";
import { type DeliveredEvent, type WebhookEvent, webhookEvents } from "../../../shared/src/console.ts";
import { wholeScope } from "../../../server/src/storage/desk-store.ts";
import type { Lease, Store } from "../../../server/src/storage/store.ts";
import {
  type DeliverySettlement,
  keptBack,
  secretOverlapMs,
  webhooksMax,
} from "../../../server/src/storage/webhook-store.ts";
import {
  accept,
  acceptReference,
  application,
  collect,
  eva,
  inquiry,
  lease,
  minute,
  noon,
  only,
  otherThan,
  readPages,
  release,
  sample,
  subscription,
  triage,
} from "../records.ts";
import { contractTest as test, eachKind } from "../engine-under-test.ts";

const url = "https://receiver.example.org/secret-path";
const later = noon + 5 * minute;
const after90Days = later + 90 * 24 * 60 * minute;

const incoming = webhookEvents.filter((event) => event !== "submission.changed" && event !== "person.erased");

async function addWebhook(store: Store, events: readonly WebhookEvent[] = incoming, secret = "whsec_1") {
  const id = await store.webhooks.add({ url, events, secret }, eva);
  if (id === "too-many") throw new Error(id);
  return { id };
}

interface Claim {
  readonly now?: number;
  readonly limit?: number;
  readonly underWay?: readonly number[];
  readonly by?: Lease;
}

const claim = (store: Store, { now = later, limit = 100, underWay = [], by = lease }: Claim = {}) =>
  store.deliveries.claim(now, limit, by === lease ? { ...lease, until: later + minute } : by, { underWay });

/** Says in the name of a process how a delivery ended. */
const settle = (store: Store, id: string, end: object, { owner } = lease) =>
  store.deliveries.settle([{ id, at: later, ...end } as DeliverySettlement], owner);

/** Events of all deliveries, oldest first. */
async function told(store: Store): Promise<DeliveredEvent[]> {
  const { rows } = await store.webhooks.listDeliveries(null, { limit: 100 });
  return rows.toReversed().map(({ event }) => event);
}

const actionsOf = async (store: Store) =>
  (await store.desk.listAudit({})).rows.toReversed().map(({ action, subject, detail }) => [action, subject, detail]);

test("a webhook is told of what comes in, also to another process, as it is when it is sent", async ({ tested }) => {
  const { store } = tested;
  const other = await tested.openAgain();
  await accept(other, inquiry(0));
  const { id } = await addWebhook(store);
  const first = await acceptReference(other, inquiry(1));
  const second = await acceptReference(store, application(2));
  await triage(store, first, 1, { status: "open" });
  const common = { webhook: id, url, secrets: ["whsec_1"], createdAt: noon, attempts: 0 };
  expect(await claim(store)).toMatchObject([
    { ...common, event: "inquiry.received", about: { submission: { reference: first, status: "open" } } },
    { ...common, event: "application.received", about: { submission: { ...application(2), reference: second } } },
  ]);
});

test.for(["{spoilt", "7"])("a delivery whose detail is %j holds up no other", async (detail, { store, tested }) => {
  await addWebhook(store, ["inquiry.received", "submission.changed"]);
  const reference = await acceptReference(store, inquiry(1));
  await triage(store, reference, 1, { status: "open" });
  await tested.spoil("webhook_delivery", "detail", detail);
  expect(await claim(store)).toMatchObject([
    { event: "inquiry.received", about: { submission: { reference }, changed: null } },
    { event: "submission.changed", about: { submission: { reference }, changed: null } },
  ]);
});

test("each webhook is told only of its events, under an id of its own", async ({ store }) => {
  const one = await addWebhook(store, ["inquiry.received"]);
  const two = await addWebhook(store, ["application.received", "inquiry.received"]);
  await addWebhook(store, ["subscriber.confirmed"]);
  await accept(store, inquiry(1));
  await accept(store, application(2));
  const claimed = await claim(store);
  expect(claimed.map(({ webhook, event }) => `${webhook} ${event}`).toSorted()).toEqual([
    `${one.id} inquiry.received`,
    `${two.id} application.received`,
    `${two.id} inquiry.received`,
  ]);
  const ids = claimed.map((delivery) => delivery.id);
  expect(new Set(ids).size).toBe(3);
  for (const each of ids) expect(each).toMatch(/^msg_\d+-[0-9a-z]+$/);
});

eachKind("no webhook is told of spam until it is released, and then once: %s", async (kind, { store }) => {
  await addWebhook(store);
  // Beside another one in the same commit.
  const [first, second] = await Promise.all([
    acceptReference(store, sample(kind, 1), { spam: true }),
    acceptReference(store, sample(otherThan(kind), 2), { spam: true }),
    accept(store, sample(kind, 3)),
  ]);
  const received = `${kind}.received`;
  expect(await told(store)).toEqual([received]);
  await release(store, first, later);
  await release(store, second, later);
  expect(await told(store)).toEqual([received, received, `${otherThan(kind)}.received`]);
  // Taken for spam by mistake, and released again.
  await triage(store, first, 2, { status: "spam" });
  expect((await release(store, first, later)).result).toBe("released");
  expect(await told(store)).toHaveLength(3);
});

eachKind(
  "what was kept back as spam is told anew when it is released, and not replayed: %s",
  async (kind, { store }) => {
    const { id } = await addWebhook(store);
    const reference = await acceptReference(store, sample(kind, 1));
    await triage(store, reference, 1, { status: "spam" });
    const [delivery] = await claim(store);
    await settle(store, delivery!.id, { result: "failed", answer: keptBack });
    expect((await release(store, reference, later)).result).toBe("released");
    expect(await store.webhooks.replay({ failedOf: id }, { ...eva, at: later })).toBe(0);
    const again = await claim(store);
    expect(again).toMatchObject([{ event: `${kind}.received`, attempts: 0 }]);
    expect(again[0]!.id).not.toBe(delivery!.id);
  },
);

eachKind(
  "spam that is given another status is told, and what was kept back is told anew: %s",
  async (kind, { store }) => {
    await addWebhook(store);
    const reference = await acceptReference(store, sample(kind, 1), { spam: true });
    const set = (version: number, status: "open" | "spam") =>
      triage(store, reference, version, { status }, { ...eva, at: later });
    await set(1, "open");
    const [delivery] = await claim(store);
    expect(delivery).toMatchObject({ event: `${kind}.received` });
    await set(2, "spam");
    await settle(store, delivery!.id, { result: "failed", answer: keptBack });
    await set(3, "open");
    const again = await claim(store);
    expect(again).toMatchObject([{ event: `${kind}.received`, attempts: 0 }]);
    await set(4, "spam");
    await set(5, "open");
    expect(await claim(store)).toEqual([]);
  },
);

test("subscribers are told of once they are confirmed, and when they leave, each time once", async ({ store }) => {
  await addWebhook(store);
  const record = subscription();
  await accept(store, record);
  expect(await told(store)).toEqual([]);
  const link = (hash: string, at: number) => ({ tokenHash: hash, at });
  await store.followLink("confirm", link(record.confirm.hash, noon + 1));
  await store.followLink("confirm", link(record.confirm.hash, noon + 2));
  await store.followLink("unsubscribe", link(record.unsubscribe.hash, noon + 3));
  await store.followLink("unsubscribe", link(record.unsubscribe.hash, noon + 4));
  expect(await claim(store)).toMatchObject([
    { event: "subscriber.confirmed", createdAt: noon + 1, about: { subscriber: { email: record.email } } },
    {
      event: "subscriber.unsubscribed",
      createdAt: noon + 3,
      about: { subscriber: { status: "unsubscribed", confirmedAt: noon + 1, unsubscribedAt: noon + 3 } },
    },
  ]);
});

test("tell of a subscriber who is active at once or bounces, not of one who never confirmed", async ({ store }) => {
  await addWebhook(store);
  const pending = subscription({ email: "pending@example.org" });
  await accept(store, pending);
  await store.followLink("unsubscribe", { tokenHash: pending.unsubscribe.hash, at: noon });
  await store.suppress({ email: "pending@example.org", reason: "complained", at: noon });
  expect(await told(store)).toEqual([]);
  await accept(store, subscription({ optIn: "single" }));
  await accept(store, subscription({ optIn: "single" }));
  await store.suppress({ email: "reader@example.org", reason: "bounced", at: noon + 1 });
  expect(await told(store)).toEqual(["subscriber.confirmed", "subscriber.unsubscribed"]);
  expect((await claim(store))[1]).toMatchObject({
    createdAt: noon + 1,
    about: { subscriber: { status: "bounced" } },
  });
});

eachKind("a lease keeps a delivery from all other processes until it ends: %s", async (kind, { store, tested }) => {
  const other = await tested.openAgain();
  const { id } = await addWebhook(store);
  for (let number = 0; number < 3; number += 1) await accept(store, sample(kind, number));
  expect(await claim(store, { limit: 1, underWay: [id] })).toEqual([]);
  expect(await claim(store, { now: noon - 1 })).toEqual([]);
  const [first, second] = [await claim(store, { limit: 4, underWay: [id, id + 1, id] }), await claim(other)];
  expect([first.length, second.length]).toEqual([2, 1]);
  expect(await claim(other)).toEqual([]);
  const again = await claim(other, { now: later + minute + 1 });
  expect(again.map((one) => one.id).toSorted()).toEqual([...first, ...second].map((one) => one.id).toSorted());
});

eachKind(
  "a delivery is due, and its lease free, that was written before the clock was set back: %s",
  async (kind, { store }) => {
    await addWebhook(store);
    await accept(store, sample(kind, 1));
    const ahead = later + 120 * minute;
    const [first] = await claim(store, { now: ahead, by: { owner: "ahead", until: ahead + minute } });
    expect((await claim(store)).map(({ id }) => id)).toEqual([first?.id]);
    await settle(store, first?.id ?? "", { at: ahead, result: "later", dueAt: ahead + minute, answer: "HTTP 500" });
    await claim(store, { now: ahead });
    expect((await claim(store)).map(({ id }) => id)).toEqual([first?.id]);
  },
);

eachKind(
  "a delivery is due that another process put off by 400 days while its clock was ahead: %s",
  async (kind, { tested }) => {
    const { store } = tested;
    const other = await tested.openAgain();
    await addWebhook(store);
    const ahead = later + 400 * 24 * 60 * minute;
    await claim(store);
    await accept(other, sample(kind, 1, { receivedAt: ahead }));
    const by = { owner: "ahead", until: ahead + minute };
    const [first] = await claim(other, { now: ahead, by });
    const end = { at: ahead, result: "later", dueAt: ahead + minute, answer: "HTTP 500" };
    await settle(other, first?.id ?? "", end, by);
    await accept(other, sample(kind, 2, { receivedAt: ahead }));
    expect(await claim(store, { now: later + minute })).toHaveLength(2);
  },
);

eachKind("records how a try ended, only for the holder of the lease: %s", async (kind, { store }) => {
  const { id } = await addWebhook(store);
  await accept(store, sample(kind, 1));
  const [delivery] = await claim(store);
  const name = delivery?.id ?? "";
  const { webhooks } = store;
  const row = async () => (await webhooks.listDeliveries(id, {})).rows[0];
  await settle(store, name, { result: "delivered", answer: "HTTP 200" }, { ...lease, owner: "another process" });
  expect(await row()).toMatchObject({ id: name, status: "queued", attempts: 0, lastAnswer: null });
  await settle(store, name, { result: "later", dueAt: later + 2, answer: "HTTP 500" });
  expect(await row()).toMatchObject({ status: "queued", attempts: 1, dueAt: later + 2, lastAnswer: "HTTP 500" });
  expect(await claim(store)).toEqual([]);
  expect(await claim(store, { now: later + 2 })).toMatchObject([{ id: name, attempts: 1 }]);
  await settle(store, name, { result: "later", dueAt: later + 2, answer: null });
  expect(await row()).toMatchObject({ attempts: 1, lastAnswer: "HTTP 500" });
  await claim(store, { now: later + 2 });
  await settle(store, name, { result: "delivered", at: later + 3, answer: "HTTP 204" });
  expect(await row()).toMatchObject({ status: "delivered", attempts: 2, dueAt: null, endedAt: later + 3 });
  expect(await claim(store, { now: after90Days })).toEqual([]);
});

eachKind("replays a delivery under its id, and all that failed: %s", async (kind, { store }) => {
  const { webhooks } = store;
  const { id } = await addWebhook(store);
  for (let number = 0; number < 3; number += 1) await accept(store, sample(kind, number));
  const [first, second, third] = await claim(store);
  await settle(store, first?.id ?? "", { result: "delivered", answer: "HTTP 200" });
  for (const one of [second, third]) {
    await settle(store, one?.id ?? "", { result: "failed", answer: "HTTP 410" });
  }
  const actor = { ...eva, at: later };
  expect(await webhooks.replay({ delivery: first?.id ?? "" }, actor)).toBe(1);
  expect(await claim(store)).toMatchObject([{ id: first?.id, attempts: 0, createdAt: noon }]);
  expect(await webhooks.replay({ failedOf: id }, actor)).toBe(2);
  expect((await claim(store)).map((one) => one.id)).toEqual([second?.id, third?.id]);
  expect(await webhooks.replay({ delivery: "msg_999-abc" }, actor)).toBeNull();
  expect(await webhooks.replay({ delivery: "nonsense" }, actor)).toBeNull();
  expect(await webhooks.replay({ failedOf: id + 1 }, actor)).toBeNull();
  const replays = (await actionsOf(store)).filter(([action]) => action === "webhook.replay");
  expect(replays.map(([, subject, detail]) => [subject, detail])).toEqual([
    [`webhook ${id}`, { host: "receiver.example.org", delivery: first?.id }],
    [`webhook ${id}`, { host: "receiver.example.org", deliveries: "failed" }],
  ]);
});

eachKind("signs with the secret before it, too, for a day after a new one: %s", async (kind, { store }) => {
  const { id } = await addWebhook(store);
  await accept(store, sample(kind, 1));
  const rotatedAt = { ...eva, at: later };
  expect(await store.webhooks.change(id, { secret: "whsec_2" }, rotatedAt)).toBe(true);
  expect(await store.webhooks.list()).toMatchObject([{ id, oldSecretUntil: later + secretOverlapMs }]);
  expect(await store.webhooks.change(id + 1, { secret: "whsec_2" }, rotatedAt)).toBe(false);
  const secretsAt = async (now: number) => {
    const claimed = await store.deliveries.claim(now, 1, { owner: "o", until: now });
    return claimed[0]?.secrets;
  };
  expect(await secretsAt(later)).toEqual(["whsec_2", "whsec_1"]);
  expect(await secretsAt(later + secretOverlapMs)).toEqual(["whsec_2"]);
  await store.webhooks.change(id, { secret: "whsec_3" }, { ...eva, at: later + secretOverlapMs });
  expect(await secretsAt(later + secretOverlapMs + 1)).toEqual(["whsec_3", "whsec_2"]);
});

eachKind(
  "a removed webhook hears nothing, is in no list, and its deliveries are forgotten: %s",
  async (kind, { tested }) => {
    const { store } = tested;
    const { id } = await addWebhook(store);
    await accept(store, sample(kind, 1));
    const kept = await addWebhook(store, [`${otherThan(kind)}.received`]);
    expect(await store.webhooks.change(id, { removed: true }, eva)).toBe(true);
    expect(await store.webhooks.change(id, { removed: true }, eva)).toBe(false);
    await accept(store, sample(kind, 2));
    await accept(store, sample(otherThan(kind), 3));
    expect(await store.webhooks.list()).toMatchObject([{ id: kept.id }]);
    expect(await told(store)).toEqual([`${otherThan(kind)}.received`]);
    expect(await claim(store)).toHaveLength(1);
    expect(await store.webhooks.change(id, { secret: "whsec_2" }, eva)).toBe(false);
    while ((await store.forgetExpired(noon)).more);
    expect(await tested.query("SELECT id FROM webhook_delivery")).toHaveLength(1);
    expect(JSON.stringify(await tested.query(`SELECT url, secret FROM webhook WHERE id = ${id}`))).not.toMatch(
      /whsec|receiver/,
    );
  },
);

test("lists webhooks without their secrets, and says who added and removed them", async ({ store }) => {
  const added = await addWebhook(store, ["inquiry.received", "subscriber.confirmed"]);
  expect(await store.webhooks.list()).toEqual([
    {
      id: added.id,
      url,
      events: ["inquiry.received", "subscriber.confirmed"],
      createdAt: eva.at,
      oldSecretUntil: null,
      last: null,
    },
  ]);
  await store.webhooks.change(added.id, { secret: "whsec_2" }, eva);
  await store.webhooks.change(added.id, { removed: true }, eva);
  const entries = await actionsOf(store);
  expect(entries.map(([action]) => action)).toEqual(["webhook.add", "webhook.rotate", "webhook.remove"]);
  expect(JSON.stringify(entries)).not.toMatch(/whsec|secret-path/);
});

test("there are at most so many", async ({ store }) => {
  for (let number = 0; number < webhooksMax; number += 1) await addWebhook(store, ["subscriber.confirmed"]);
  expect(await store.webhooks.add({ url, events: webhookEvents, secret: "whsec_1" }, eva)).toBe("too-many");
  expect(await store.webhooks.list()).toHaveLength(webhooksMax);
});

eachKind("lists deliveries in pages, of all webhooks or one, newest first: %s", async (kind, { store }) => {
  const [one, two] = [await addWebhook(store), await addWebhook(store)];
  const references: string[] = [];
  for (let number = 0; number < 3; number += 1) references.push(await acceptReference(store, sample(kind, number)));
  const read = async (webhook: number | null) => {
    const rows = await readPages(2, (page) => store.webhooks.listDeliveries(webhook, page));
    return rows.map(({ reference }) => reference);
  };
  expect(await read(one.id)).toEqual(references.toReversed());
  expect(await read(two.id + 1)).toEqual([]);
  expect(await read(null)).toHaveLength(6);
});

eachKind("what is known of a person names who was told: %s", async (of, { store }) => {
  await addWebhook(store);
  const removed = await addWebhook(store);
  const email = "ana@example.org";
  await accept(store, sample(of, 1, { email }));
  await accept(store, subscription({ email, optIn: "single" }));
  await store.webhooks.change(removed.id, { removed: true }, eva);
  const facts = await collect(store.desk.readPerson(wholeScope, email));
  const common = { kind: "delivery", host: "receiver.example.org", status: "queued", createdAt: noon };
  expect(facts.filter(({ kind }) => kind === "delivery")).toEqual([
    { ...common, event: `${of}.received` },
    { ...common, event: "subscriber.confirmed" },
  ]);
  const ofRole = await collect(store.desk.readPerson(only(of), email));
  expect(ofRole.filter(({ kind }) => kind === "delivery")).toHaveLength(1);
});

eachKind("deliveries go with the person, and with an outdated submission: %s", async (kind, { store }) => {
  await addWebhook(store);
  const email = "ana@example.org";
  const other = otherThan(kind);
  await accept(store, sample(kind, 1, { email }));
  await accept(store, subscription({ email, optIn: "single" }));
  await accept(store, sample(other, 2, { receivedAt: noon - 1 }));
  await accept(store, sample(kind, 3));
  await store.desk.erasePerson(email, eva);
  await store.desk.eraseOutdated({ kind: other, before: noon }, eva);
  expect(await told(store)).toEqual([`${kind}.received`]);
});

eachKind("forgets deliveries 90 days after they ended, and none that waits: %s", async (kind, { store }) => {
  const { id } = await addWebhook(store);
  await accept(store, sample(kind, 1));
  await accept(store, sample(kind, 2));
  const [first] = await claim(store, { limit: 1 });
  await settle(store, first?.id ?? "", { result: "delivered", answer: "HTTP 200" });
  const left = async () => (await store.webhooks.listDeliveries(id, {})).rows.map(({ status }) => status);
  while ((await store.forgetExpired(after90Days - 1)).more);
  expect(await left()).toEqual(["queued", "delivered"]);
  while ((await store.forgetExpired(after90Days)).more);
  expect(await left()).toEqual(["queued"]);
});
