// What the port promises where a clock was wrong: a row with a wrong time misleads nothing about the others.
import { expect } from "vitest";
import type { InboxFilter } from "../../../shared/src/console.ts";
import { kinds } from "../../../shared/src/kinds.ts";
import { wholeScope } from "../../../server/src/storage/desk-store.ts";
import { repliesMax } from "../../../server/src/storage/reply-store.ts";
import {
  idempotencyMs,
  newsletterMailsMax,
  receiptsMax,
  welcomeIntervalMs,
} from "../../../server/src/storage/limits.ts";
import { mailMs } from "../../../server/src/storage/sql/housekeeping.ts";
import type { SubmissionKind } from "../../../server/src/storage/records.ts";
import type { Store } from "../../../server/src/storage/store.ts";
import {
  accept,
  acceptMails,
  acceptReference,
  allMails,
  application,
  inTurn,
  lease,
  minute,
  noneOfEach,
  noon,
  offer,
  sample,
  settle,
  subscription,
} from "../records.ts";
import { contractTest as test, eachKind } from "../engine-under-test.ts";

const dayMs = 24 * 60 * minute;
const ahead = noon + 730 * dayMs;
const retention = { operator: "retention", at: noon };

async function storeNine(store: Store, wrong: number, kind: SubmissionKind): Promise<void> {
  for (let number = 1; number <= 9; number += 1) {
    await accept(store, sample(kind, number, { receivedAt: number === 5 ? wrong : noon + number * minute }));
  }
}

async function listed(store: Store, filter: InboxFilter): Promise<number[]> {
  const { rows } = await store.desk.listSubmissions(wholeScope, filter, {});
  return rows.map(({ email }) => Number(/\d+/.exec(email)));
}

eachKind("retention erases all that is outdated behind a submission of a wrong time: %s", async (kind, { store }) => {
  await storeNine(store, ahead, kind);
  const outdated = { kind, before: noon + 8 * minute };
  while ((await store.desk.eraseOutdated(outdated, retention)).more);
  expect(await listed(store, {})).toEqual([9, 8, 5]);
});

eachKind("lists of a time hold all of it and nothing else: %s", async (kind, { store }) => {
  await storeNine(store, ahead, kind);
  expect(await listed(store, { until: noon + 8 * minute })).toEqual([7, 6, 4, 3, 2, 1]);
  expect(await listed(store, { from: ahead })).toEqual([5]);
  expect(await listed(store, { from: noon + 3 * minute, until: noon + 7 * minute, order: "oldest" })).toEqual([
    3, 4, 6,
  ]);
});

test.for([
  [0, "inquiry"],
  [ahead, "application"],
] as const)("the overview counts all submissions and mails of the others", async ([wrong, kind], { store }) => {
  await storeNine(store, wrong, kind);
  const counted = { day: "2026-11-21", ...noneOfEach, [kinds[kind].plural]: 8 };
  const { days, mails } = await store.desk.overview(wholeScope, noon + 10 * minute);
  expect(days.at(-1)).toEqual(counted);
  expect(mails.queued).toBe(wrong === 0 ? 16 : 18);
  await store.desk.countSubscribers(noon + dayMs);
  const next = await store.desk.overview(wholeScope, noon + dayMs);
  expect(next.days.at(-2)).toEqual(counted);
});

test("a welcome mail that was stored by a clock that was ahead holds up no next one", async ({ store }) => {
  await accept(store, subscription({ receivedAt: ahead }));
  expect(await accept(store, subscription())).toMatchObject({ mails: [{ kind: "newsletter-welcome" }] });
  expect(await accept(store, subscription({ receivedAt: noon + minute }))).toMatchObject({ mails: [], capped: [] });
});

eachKind(
  "mails that were stored by a clock that was ahead use no cap up, hide none that do: %s",
  async (kind, { store }) => {
    const email = "reader@example.org";
    let number = 0;
    const submit = (receivedAt: number) => accept(store, sample(kind, (number += 1), { email, receivedAt }));
    const subscribe = (receivedAt: number) => accept(store, subscription({ email, receivedAt }));
    for (const from of [ahead, noon]) {
      for (let n = 0; n < receiptsMax; n += 1) expect(await submit(from + n)).toMatchObject({ capped: [] });
      for (let n = 0; n < newsletterMailsMax; n += 1) {
        expect(await subscribe(from + n * welcomeIntervalMs)).toMatchObject({ capped: [] });
      }
    }
    expect(await submit(noon + minute)).toMatchObject({ capped: [`${kind}-receipt`] });
    const next = await subscribe(noon + newsletterMailsMax * welcomeIntervalMs);
    expect(next).toMatchObject({ capped: ["newsletter-welcome"] });
  },
);

test("replies that were sent while a clock was ahead keep no operator from the next one", async ({ store }) => {
  const reply = { reference: await acceptReference(store, inTurn(1)), text: "Hello" };
  const send = (count: number, at: number) =>
    store.replies.send(
      wholeScope,
      Array.from({ length: count }, () => reply),
      false,
      { operator: "eva@example.org", at },
    );
  await send(repliesMax, ahead);
  expect(await send(1, noon)).toMatchObject({ outcomes: [{ result: "queued" }] });
});

test("what is written after the clock was set back counts as written last, and is told of as unseen", async ({
  store,
}) => {
  const reference = await acceptReference(store, application(1));
  const found = async () => (await store.desk.findDetail(wholeScope, reference))!;
  const waitedFor = async () => (await found()).submission.waitedFor;
  const { arrival } = (await found()).submission;
  const seenNow = async () => {
    const { lastReplyAt, lastAnswerAt } = (await found()).submission;
    return Math.max(lastReplyAt ?? 0, lastAnswerAt ?? 0);
  };
  const reply = (at: number, seen: number) =>
    store.replies.send(wholeScope, [{ reference, text: "Hello", seen }], false, { operator: "eva@example.org", at });
  const mail = {
    messageId: null,
    senderAddress: "",
    senderName: "",
    subject: "",
    text: "Hello",
    reply: null,
    files: [],
  };
  const toNone = { fromKeys: [], teamKeys: [] };
  const answer = (at: number) =>
    store.inbound.file({ ...mail, identity: `${at}`, at, submission: arrival, sender: "person", ...toNone });
  await reply(ahead, 0);
  const seen = await seenNow();
  await answer(noon);
  expect(await waitedFor()).toBe("us");
  expect(await reply(noon, seen)).toMatchObject({ outcomes: [{ result: "overtaken", by: null }] });
  const answered = await seenNow();
  await reply(noon + 1, answered);
  expect(await waitedFor()).toBe("them");
  expect(await reply(noon + 2, answered)).toMatchObject({ outcomes: [{ result: "overtaken", by: "eva@example.org" }] });

  // The mail of a decline waits for an operator where the person has answered since, and only there.
  const by = { operator: "eva@example.org", at: noon + 3 };
  const { version } = (await found()).submission;
  const targets = [{ reference, version, text: "Sorry." }];
  await store.declines.decline(wholeScope, targets, { reason: null, days: 2, copies: false }, by);
  const declined = async () => (await found()).replies.find(({ sendAt }) => sendAt !== null)!;
  expect(await declined()).toMatchObject({ held: false });
  await answer(noon + 4);
  expect(await declined()).toMatchObject({ held: true });
  await store.declines.release(wholeScope, (await declined()).id, { ...by, at: noon + 5 });
  expect(await declined()).toMatchObject({ held: false });
});

test("a session that was begun by a clock that was ahead has ended, and is forgotten", async ({ tested }) => {
  const { access } = tested.store;
  const eva = { operator: "eva@example.org", at: noon };
  await access.changeOperator(eva.operator, { role: "admin", invitationHash: "i" }, eva);
  const operator = (await access.acceptInvitation("i", "p", noon))!;
  const begin = (hash: string, now: number) =>
    access.createSession(hash, operator, { device: "", network: "", isStrong: false }, now);
  await begin("a", ahead);
  expect(await access.findSession("a", ahead)).not.toBeNull();
  expect([await access.findSession("a", noon), await access.listSessions(operator.id, noon)]).toEqual([null, []]);
  await begin("b", noon);
  expect(await tested.query("SELECT id_hash FROM session")).toEqual([{ id_hash: "b" }]);
});

test("what was stored by a clock that was ahead is forgotten in its turn", async ({ tested }) => {
  const { store } = tested;
  const key = { procedure: "marketplace.inquiry", keyHash: "k", fingerprint: "f", createdAt: ahead };
  const webhook = { url: "https://receiver.example/", events: ["application.received"] as const, secret: "whsec_1" };
  await store.webhooks.add(webhook, { operator: "eva@example.org", at: noon });
  await accept(store, inTurn(1, { receivedAt: ahead }), { key });
  const [delivery] = await store.deliveries.claim(ahead, 1, { ...lease, until: ahead + minute });
  await store.deliveries.settle([{ id: delivery!.id, result: "delivered", answer: "200", at: ahead }], lease.owner);
  await acceptMails(store, inTurn(2));
  await settle(store, { sent: await allMails(store) }, { at: ahead });
  const forget = async (now: number) => (await store.forgetExpired(now)).forgotten;
  expect(await forget(noon)).toBe(0);
  expect(await store.findEarlier({ ...key, createdAt: noon })).not.toBeNull();
  expect(await forget(noon + idempotencyMs - 1)).toBe(0);
  expect(await forget(noon + idempotencyMs)).toBe(1);
  expect(await forget(noon + mailMs - 1)).toBe(0);
  // Two mails of each, and the delivery.
  expect(await forget(noon + mailMs)).toBe(5);
  expect(await allMails(store)).toEqual([]);
});

test("a start with a clock that is ahead forgets nothing that is not old, and what is old after a day", async ({
  store,
}) => {
  const hash = "c".repeat(64);
  const key = (at: number) => ({ procedure: "marketplace.inquiry", keyHash: `${at}`, fingerprint: "f", createdAt: at });
  const earlier = noon - idempotencyMs - minute;
  for (const [nth, at] of [earlier, noon].entries())
    await accept(store, inTurn(nth, { receivedAt: at }), { key: key(at) });
  const challenge = { hash, expiresAt: noon + minute };
  await accept(store, inTurn(2), { challenge });
  await settle(store, { failed: await allMails(store) });
  // What is stored while the clock is wrong says nothing of the time that has passed.
  await accept(store, inTurn(3, { receivedAt: ahead + minute }), { key: key(ahead) });
  const forget = async (elapsedMs: number) =>
    // With a fraction, as stopwatches have.
    (await store.forgetExpired(ahead + elapsedMs, { at: ahead, elapsedMs: elapsedMs + 0.4 })).forgotten;
  const isKept = async (at: number) => (await store.findEarlier({ ...key(at), createdAt: noon })) !== null;
  expect(await forget(10 * minute)).toBe(1);
  expect([await isKept(noon), await offer(store, inTurn(4), { challenge })]).toMatchObject([
    true,
    { result: "challenge-spent" },
  ]);
  expect(await allMails(store)).toHaveLength(8);
  expect(await forget(dayMs - 1)).toBe(1);
  // The keys and the mails: a service that was off for years is no different.
  expect(await forget(dayMs)).toBe(8);
});

eachKind("days that were counted by a clock that was ahead are counted again: %s", async (kind, { store }) => {
  await store.desk.countSubscribers(ahead);
  await accept(store, sample(kind, 1));
  await accept(store, subscription({ optIn: "single" }));
  for (const now of [noon, noon + dayMs]) await store.desk.countSubscribers(now);
  const { days } = await store.desk.overview(wholeScope, noon + dayMs);
  expect(days.slice(-2).map((counted) => counted[kinds[kind].plural])).toEqual([1, 0]);
  expect(await store.desk.subscriberGrowth(ahead, 30)).toEqual([
    { day: new Date(ahead).toISOString().slice(0, 10), active: 1 },
  ]);
});
