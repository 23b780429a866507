// What the port promises about mails on their way: one lease, one sender, and nothing forgotten.
import { expect } from "vitest";
import { listMails } from "../../../server/src/desk/mails.ts";
import type { LeasedMail } from "../../../server/src/storage/records.ts";
import type { Store } from "../../../server/src/storage/store.ts";
import { wholeScope } from "../../../server/src/storage/desk-store.ts";
import { heldUntil } from "../../../server/src/storage/sql/held.ts";
import {
  accept,
  acceptMails,
  afterLease,
  allMails,
  application,
  eva,
  findSubmission,
  giveBack,
  idsOf,
  inquiry,
  inTurn,
  lease,
  minute,
  noon,
  otherLease as later,
  sample,
  sendAgain,
  settle,
  subscription,
  tryAgain,
  wake,
} from "../records.ts";
import { contractTest as test, eachKind } from "../engine-under-test.ts";

async function storeMails(store: Store, receivedAt: readonly number[]): Promise<LeasedMail[]> {
  const stored: LeasedMail[] = [];
  for (const [number, at] of receivedAt.entries()) {
    const [receipt, notice] = await acceptMails(store, inTurn(number, { receivedAt: at }));
    await settle(store, { sent: [notice] }, { at });
    stored.push(receipt);
  }
  return stored;
}

async function storeMail(store: Store): Promise<LeasedMail> {
  const [mail] = await storeMails(store, [noon]);
  if (mail === undefined) throw new Error("The mail is missing.");
  return mail;
}

/** Says in the name of this process that a try of a mail has to be repeated. */
const putOff = (store: Store, id: string, dueAt: number, more: object = {}) =>
  store.mails.settle([tryAgain({ id }, dueAt, more)], lease.owner);

const find = async (store: Store, id: string) => (await allMails(store)).find((mail) => mail.id === id);

test("keeps a new mail for the accepting process until its lease ended, so long ago if asked", async ({ store }) => {
  const { id } = await storeMail(store);
  expect(await store.mails.claim(lease.until, 10, later)).toEqual([]);
  expect(await store.mails.claim(afterLease, 10, later, { endedBefore: lease.until })).toEqual([]);
  expect(idsOf(await store.mails.claim(afterLease, 10, later, { endedBefore: afterLease }))).toEqual([id]);
  expect(idsOf(await store.mails.claim(later.until + 1, 10, { ...later, owner: "third" }))).toEqual([id]);
});

eachKind("hands a claimed mail over with the submission as it is then: %s", async (kind, { store }) => {
  const given = sample(kind, 1);
  const { reference, mails } = await accept(store, given);
  const claimed = await store.mails.claim(afterLease, 10, later);
  expect(claimed).toEqual(mails.map((mail) => ({ ...mail, denials: 0, leasedUntil: later.until })));
  expect(claimed[0]?.about).toEqual({ submission: await findSubmission(store, reference ?? "") });
});

test.for(["double", "single"] as const)("hands over a welcome mail's links, %s opt-in", async (optIn, { store }) => {
  const { mails } = await accept(store, subscription({ optIn }));
  const claimed = await store.mails.claim(afterLease, 10, later);
  expect(claimed).toEqual(mails.map((mail) => ({ ...mail, denials: 0, leasedUntil: later.until })));
});

test("claims the oldest due mails first, and at most as many as asked for", async ({ store }) => {
  const [c, a, b] = await storeMails(store, [noon + 3, noon + 1, noon + 2]);
  expect(idsOf(await store.mails.claim(afterLease, 2, later))).toEqual([a?.id, b?.id]);
  expect(idsOf(await store.mails.claim(afterLease, 2, later))).toEqual([c?.id]);
});

test("leases no mail to two claimers at once", async ({ store, tested }) => {
  const other = await tested.openAgain();
  await Promise.all(Array.from({ length: 30 }, (_, n) => acceptMails(store, inTurn(n))));
  const claims = await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      (n % 2 === 0 ? store : other).mails.claim(afterLease, 7, { ...later, owner: `claimer ${n}` }),
    ),
  );
  const ids = idsOf(claims.flat());
  expect(ids).toHaveLength(60);
  expect(new Set(ids).size).toBe(60);
});

/** What stored and claimed these mails was ahead by so much. */
const aheadMs = 120 * minute;

eachKind(
  "makes a mail due that was stored later than now, and its lease is free: %s",
  async (kind, { store, tested }) => {
    const { mails } = await accept(store, sample(kind, 1, { receivedAt: noon + aheadMs }), {
      lease: { ...lease, until: lease.until + aheadMs },
    });
    const started = await tested.openAgain();
    expect(idsOf(await started.mails.claim(noon, 10, later))).toEqual(idsOf(mails));
  },
);

eachKind("makes a mail due that was claimed and put off before the clock was set back: %s", async (kind, { store }) => {
  const { mails } = await accept(store, sample(kind, 1));
  const ahead = { owner: "ahead", until: lease.until + aheadMs };
  expect(await store.mails.claim(noon + aheadMs, 10, ahead)).toHaveLength(2);
  const [receipt, notice] = idsOf(mails);
  const at = noon + aheadMs;
  await store.mails.settle([tryAgain({ id: receipt ?? "" }, at + minute, { at })], ahead.owner);
  expect(idsOf(await store.mails.claim(noon, 10, later))).toEqual(expect.arrayContaining([receipt, notice]));
});

/** What was 400 days ahead for a moment, between two claims. */
const farAhead = noon + 400 * 24 * 60 * minute;
const leaseAhead = { ...lease, until: farAhead + minute };

/** What another process writes whose clock is ahead. Each answers the mails that are then due in 400 days. */
const writesAhead: Readonly<Record<string, (store: Store) => Promise<readonly string[]>>> = {
  async "a try that is to be repeated"(store) {
    const { id } = await storeMail(store);
    await putOff(store, id, farAhead + minute, { at: farAhead });
    return [id];
  },
  async "a mail that is given back"(store) {
    const { id } = await storeMail(store);
    await putOff(store, id, farAhead + minute, { at: farAhead, tried: false });
    return [id];
  },
  "a submission whose mails it never sends": async (store) =>
    idsOf((await accept(store, inquiry(1, { receivedAt: farAhead }), { lease: leaseAhead })).mails),
  async "an address of an import"(store) {
    await accept(store, subscription({ receivedAt: farAhead }), { lease: { dueAt: farAhead + minute } });
    return idsOf(await allMails(store));
  },
  async "a reply"(store) {
    const { reference } = await accept(store, inquiry(1), { spam: true });
    const replies = [{ reference: reference ?? "", text: "Thank you." }];
    await store.replies.send(wholeScope, replies, false, { ...eva, at: farAhead });
    return idsOf(await allMails(store));
  },
  async "a mail that is sent again"(store) {
    const { id } = await storeMail(store);
    await settle(store, { failed: [{ id }] });
    await sendAgain(store, wholeScope, id, { ...eva, at: farAhead });
    return [id];
  },
};

test.for(Object.keys(writesAhead))(
  "makes due what was written by a clock that was ahead since the last claim: %s",
  async (name, { store, tested }) => {
    const other = await tested.openAgain();
    for (const process of [store, other]) await process.mails.claim(noon, 10, later);
    const ids = await writesAhead[name]!(other);
    expect(idsOf(await store.mails.claim(noon + minute, 10, later)).toSorted()).toEqual([...ids].toSorted());
  },
);

test("makes due at the next claim what this process put off while its clock was ahead by minutes", async ({
  store,
}) => {
  const { id } = await storeMail(store);
  await store.mails.claim(noon, 10, later);
  await putOff(store, id, noon + 6 * minute, { at: noon + 5 * minute });
  expect(idsOf(await store.mails.claim(noon + 1, 10, later))).toEqual([id]);
});

test("leaves alone what is held since a restore, and what is to wait for days still waits for them", async ({
  store,
}) => {
  const [held, delayed, usual] = await storeMails(store, [noon, noon, noon]);
  await putOff(store, held!.id, heldUntil, { at: farAhead });
  await putOff(store, delayed!.id, farAhead + 48 * 60 * minute, { at: farAhead });
  await putOff(store, usual!.id, noon + 48 * 60 * minute, { at: noon });
  expect(await store.mails.claim(noon + minute, 10, later)).toEqual([]);
  const dueAtOf = async ({ id }: LeasedMail) => (await find(store, id))?.dueAt;
  expect([await dueAtOf(held!), await dueAtOf(delayed!), await dueAtOf(usual!)]).toEqual([
    heldUntil,
    noon + minute + 48 * 60 * minute,
    noon + 48 * 60 * minute,
  ]);
});

test("leaves a mail alone that waits since before now, however long", async ({ store }) => {
  const { id } = await storeMail(store);
  await putOff(store, id, noon + aheadMs);
  expect(await store.mails.claim(noon + aheadMs - 1, 10, later)).toEqual([]);
  expect(await store.mails.claim(noon, 10, later)).toEqual([]);
});

test("hands a mail over as refused whose submission cannot be read, beside the others", async ({ tested }) => {
  const { store } = tested;
  const bad = await accept(store, inquiry(1));
  const worse = await accept(store, application(2));
  const good = await accept(store, inquiry(3));
  await tested.spoilFields(bad.reference ?? "", '{"');
  await tested.spoilFields(worse.reference ?? "", '{"position": 7}');
  const refused = { about: { refused: "unreadable row" } };
  const unreadable = idsOf([...bad.mails, ...worse.mails]).map((id) => ({ id, ...refused }));
  expect(await store.mails.claim(afterLease, 10, later)).toMatchObject([
    ...unreadable,
    ...good.mails.map(({ id, about }) => ({ id, about })),
  ]);
  const shown = (await listMails(store.desk, { limit: 10 })).at(-1);
  expect(shown).toMatchObject({ reference: bad.reference, email: inquiry(1).email });
});

test.for(["{", "null", "7", '{"confirm": "a"}'])(
  "hands a welcome mail over as refused whose tokens are %j",
  async (tokens, { store, tested }) => {
    await accept(store, subscription());
    await tested.spoil("mail", "tokens", tokens);
    const claimed = await store.mails.claim(afterLease, 10, later);
    expect(claimed).toMatchObject([{ about: { refused: "unreadable row" } }]);
  },
);

const claimOnly = async (store: Store, now: number, by = later) => (await store.mails.claim(now, 10, by))[0];

test("hands over without doubt what its owner gave back, or lets run out itself", async ({ store }) => {
  const mail = await storeMail(store);
  const own = { owner: lease.owner, until: afterLease + minute };
  expect(await claimOnly(store, afterLease, own)).toMatchObject({ denials: null });
  await giveBack(store, [mail], lease, afterLease);
  expect(await claimOnly(store, afterLease)).toMatchObject({ denials: null });
});

test("keeps the doubt of a settlement, and counts searches anew when an owner dies over it", async ({ store }) => {
  const { id } = await storeMail(store);
  await putOff(store, id, noon, { denials: 1 });
  const first = await claimOnly(store, noon, { owner: "first", until: noon + 1 });
  expect(first).toMatchObject({ denials: 1 });
  expect(await claimOnly(store, noon + 2)).toMatchObject({ denials: 0 });
  await store.mails.settle([tryAgain({ id: id }, noon + 2)], later.owner);
  expect(await claimOnly(store, noon + 2)).toMatchObject({ denials: null });
});

test.for(["failed", "in-doubt"] as const)("keeps the doubt of a %s mail until woken", async (result, { store }) => {
  const { id } = await storeMail(store);
  await settle(store, { [result]: [{ id }] }, { denials: 1 });
  await wake(store, id, noon);
  expect(await claimOnly(store, noon)).toMatchObject({ denials: 1, attempts: 0 });
});

eachKind(
  "settles a mail whatever the provider says, also in characters that a database refuses: %s",
  async (kind, { store }) => {
    const [one, two] = await acceptMails(store, sample(kind, 1));
    const words = "id \0 \ud800 'x' 🎙️";
    await settle(store, { sent: [one] }, { providerId: words });
    await settle(store, { failed: [two] }, { error: words });
    const kept = "id  \ufffd 'x' 🎙️";
    expect(await listMails(store.desk, { status: "sent", limit: 1 })).toMatchObject([{ id: one.id, providerId: kept }]);
    expect(await listMails(store.desk, { status: "failed", limit: 1 })).toMatchObject([
      { id: two.id, lastError: kept },
    ]);
  },
);

test.for([
  ["sent", { sentAt: noon, providerId: "p", lastError: null }],
  ["failed", { sentAt: null, lastError: "e" }],
  ["in-doubt", { sentAt: null, lastError: "e" }],
] as const)("keeps a mail that is %s as it is, and does not hand it out again", async ([result, more], { store }) => {
  const { id } = await storeMail(store);
  await settle(store, { [result]: [{ id }] });
  expect(await find(store, id)).toMatchObject({ status: result, attempts: 1, dueAt: null, ...more });
  expect(await store.mails.claim(noon + 1e9, 10, later)).toEqual([]);
});

test("counts the tries of a mail that has to be tried again, and none where it was only asked about", async ({
  store,
}) => {
  const { id } = await storeMail(store);
  await putOff(store, id, noon, { tried: false });
  expect(await find(store, id)).toMatchObject({ attempts: 0, dueAt: noon, lastError: "x" });
  await store.mails.claim(noon, 10, lease);
  await putOff(store, id, noon + 1, { error: "timeout" });
  const expected = { status: "queued", attempts: 1, dueAt: noon + 1, lastError: "timeout" };
  expect(await find(store, id)).toMatchObject(expected);
  expect(await store.mails.claim(noon + 1, 10, later)).toMatchObject([{ attempts: 1 }]);
});

test("knows which addresses have a mail already until it is sent, and begins anew when it is sent again", async ({
  store,
}) => {
  const [receipt, { id }] = await acceptMails(store, inquiry(1));
  await settle(store, { sent: [receipt] });
  const has = ["sales@example.org"];
  await putOff(store, id, noon, { has });
  expect(await claimOnly(store, noon, lease)).toMatchObject({ id, has });
  await putOff(store, id, noon);
  expect(await claimOnly(store, noon)).toMatchObject({ id, has });
  await settle(store, { failed: [{ id }] }, { owner: later.owner });
  await wake(store, id, noon);
  expect(await claimOnly(store, noon)).toMatchObject({ id, has });
  await settle(store, { sent: [{ id }] }, { owner: later.owner });
  expect(await sendAgain(store, wholeScope, id, { ...eva, at: noon })).toBe("due");
  const again = await claimOnly(store, noon);
  expect(again?.kind).toBe("inquiry-notice");
  expect(again).not.toHaveProperty("has");
});

test("ignores what another owner says of a leased mail", async ({ store }) => {
  const { id } = await storeMail(store);
  await store.mails.claim(afterLease, 10, later);
  await settle(store, { failed: [{ id }] });
  expect(await find(store, id)).toMatchObject({ status: "queued", attempts: 0 });
  await settle(store, { sent: [{ id }] }, { owner: later.owner });
  expect(await find(store, id)).toMatchObject({ status: "sent" });
});

test("ignores what is said of a mail after it was settled, and of one that is not known", async ({ store }) => {
  const { id } = await storeMail(store);
  await settle(store, { sent: [{ id }] });
  const [row = ""] = id.split("-");
  const others = [id, "unknown", "999999-0", `${row}-0`];
  for (const one of others) await putOff(store, one, noon);
  expect(await find(store, id)).toMatchObject({ status: "sent", attempts: 1 });
});

test("still believes an owner whose lease ran out while no other process claimed the mail", async ({ store }) => {
  const { id } = await storeMail(store);
  await settle(store, { sent: [{ id }] }, { at: afterLease });
  expect(await find(store, id)).toMatchObject({ status: "sent" });
});

const longer = { owner: lease.owner, until: lease.until + minute };

test("prolongs the leases that the owner holds, and says which those are", async ({ store }) => {
  const [held, settled, taken] = await storeMails(store, [noon, noon, noon + 1]);
  const ids = idsOf([held!, settled!, taken!]);
  await settle(store, { sent: [settled!] });
  await putOff(store, taken!.id, noon);
  await store.mails.claim(noon, 10, later);
  expect(await store.mails.renew([...ids, "unknown", "999999-0"], longer)).toEqual(new Set([held!.id]));
  expect(await store.mails.claim(longer.until, 10, { ...later, owner: "third" })).toEqual([]);
  const claimed = await store.mails.claim(later.until + 1, 10, { ...later, owner: "third" });
  expect(idsOf(claimed)).toEqual([held!.id, taken!.id]);
});

test("prolongs a lease that has run out while no other process claimed the mail", async ({ store }) => {
  const { id } = await storeMail(store);
  const muchLater = { owner: lease.owner, until: afterLease + minute };
  expect(await store.mails.renew([id], muchLater)).toEqual(new Set([id]));
  expect(await store.mails.claim(afterLease, 10, later)).toEqual([]);
});

test("makes the mails of an owner that stops due at once, the oldest first", async ({ store }) => {
  const [b, a] = await storeMails(store, [noon + 2, noon + 1]);
  await giveBack(store, [b!, a!], lease, noon + 3);
  expect(idsOf(await store.mails.claim(noon + 3, 10, later))).toEqual([a?.id, b?.id]);
});

test("does not bring forward a mail that waits for its next try", async ({ store }) => {
  const mail = await storeMail(store);
  await putOff(store, mail.id, noon + minute);
  await giveBack(store, [mail], lease, noon);
  expect(await find(store, mail.id)).toMatchObject({ dueAt: noon + minute });
});
