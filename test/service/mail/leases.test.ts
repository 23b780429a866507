// One lease, one sender, and no mail forgotten.
import { once } from "node:events";
import { expect } from "vitest";
import { listMails } from "../../../server/src/desk/mails.ts";
import type { OutgoingMail } from "../../../server/src/mail/mailer.ts";
import type { Store } from "../../../server/src/storage/store.ts";
import { StorageUnavailable } from "../../../server/src/storage/store.ts";
import { eventually } from "../../support/outbox/mail-service.ts";
import { hour, mailerOf, minute, outboxTest as test, taken } from "../../support/outbox/outbox-under-test.ts";

/** A mailer whose calls wait for a gate. */
function held(more: Parameters<typeof mailerOf>[1]) {
  const gate = Promise.withResolvers<void>();
  const sending: string[] = [];
  const slow = mailerOf(async (mails: readonly OutgoingMail[]) => {
    sending.push(...mails.map(({ id }) => id));
    await gate.promise;
    return taken(mails);
  }, more);
  return { gate, sending, slow };
}

test("a clock that is set forward by two years has no mail sent twice and none forgotten", async ({ tested }) => {
  const { gate, sending, slow } = held({ batchMax: 1 });
  const { outbox, settled } = tested.openSender({ mailer: slow });
  outbox.start();
  // Four are handed over, the others wait in memory.
  const mails = await tested.storeMails(9, outbox.lease());
  for (const mail of mails) void outbox.deliver([mail]);
  await eventually(() => sending.length).toBe(4);
  tested.clock.advance(730 * 24 * hour);
  // The sender has looked for due mails since: it has taken this one.
  const [due] = await tested.storeDueMails(1);
  await eventually(() => sending).toContain(due!.id);
  gate.resolve();
  await eventually(() => tested.store.mailBacklog()).toMatchObject({ queued: 0, failed: 0, inDoubt: 0 });
  expect(sending.toSorted()).toEqual([...mails, due!].map(({ id }) => id).toSorted());
  expect(settled.filter(({ result }) => result === "sent")).toHaveLength(10);
});

test("a mail that must not be sent any more fails unsent, and is told of like all that fail", async ({ tested }) => {
  const [mail] = await tested.storeDueMails(1);
  await tested.store.suppress({ email: "reader0@example.org", reason: "bounced", at: tested.clock.now() });
  const { outbox, settled } = tested.openSender();
  outbox.start();
  const failed = () => listMails(tested.store.desk, { status: "failed", limit: 2 });
  await eventually(failed).toMatchObject([{ id: mail!.id, attempts: 1, lastError: "suppressed" }]);
  expect(settled).toEqual([{ id: mail!.id, result: "failed" }]);
  expect(tested.postmark.requests).toEqual([]);
});

test("a sender that stops finishes what it is sending and gives the rest back at once", async ({ tested }) => {
  const { gate, sending, slow } = held({ batchMax: 1 });
  const { outbox } = tested.openSender({ mailer: slow });
  const mails = await tested.storeMails(9, outbox.lease());
  const answers = Promise.all(mails.map((one) => outbox.deliver([one])));
  await eventually(() => sending.length).toBeGreaterThan(0);
  const stopped = outbox.stop(5_000);
  gate.resolve();
  await stopped;

  const sent = await listMails(tested.store.desk, { status: "sent", limit: 10 });
  expect(sent.map(({ id }) => id).toSorted()).toEqual(sending.toSorted());
  expect(sending.length).toBeLessThan(9);
  expect((await answers).filter(Boolean)).toHaveLength(sending.length);
  // There is nothing to wait for: the leases are gone.
  tested.openSender().outbox.start();
  await eventually(() => tested.store.mailBacklog()).toMatchObject({ queued: 0 });
  expect(new Set([...sending, ...tested.taken()])).toEqual(new Set(mails.map(({ id }) => id)));
  expect(tested.taken()).toHaveLength(9 - sending.length);
});

/** A store that takes no outcome of a mail as long as it is told so. */
function unwilling({ clock, mails }: Store) {
  const wrapped = { refusing: true };
  const settle: Store["mails"]["settle"] = async (...settlement) => {
    if (wrapped.refusing) throw new StorageUnavailable("full");
    await mails.settle(...settlement);
  };
  return Object.assign(wrapped, { store: { clock, mails: { ...mails, settle } } });
}

test("an outcome that the store refuses is kept and written later, and the mail not sent again", async ({ tested }) => {
  const wrapped = unwilling(tested.store);
  const { outbox, failed } = tested.openSender({ store: wrapped.store });
  outbox.start();
  const [one] = await tested.storeMails(1, outbox.lease());
  expect(await outbox.deliver([one!])).toBe(true);
  await eventually(() => failed.length).toBeGreaterThan(0);
  // The lease ends meanwhile, and the mail comes back as due.
  tested.clock.advance(hour);
  const looked = failed.length;
  await eventually(() => failed.length).toBeGreaterThan(looked + 2);
  expect(await tested.newest()).toMatchObject({ status: "queued" });

  wrapped.refusing = false;
  await eventually(() => tested.newest()).toMatchObject({ status: "sent", attempts: 1 });
  expect(tested.taken()).toEqual([one!.id]);
});

test("a sender that leaves due mails to others writes down what the store refused", async ({ tested }) => {
  const wrapped = unwilling(tested.store);
  const { outbox, failed } = tested.openSender({ store: wrapped.store });
  const [due] = await tested.storeDueMails(1);
  outbox.start({ claiming: false });
  const [fresh] = await tested.storeMails(1, outbox.lease());
  expect(await outbox.deliver([fresh!])).toBe(true);
  await eventually(() => failed.length).toBeGreaterThan(2);
  wrapped.refusing = false;
  const listed = (status: "sent" | "queued") => listMails(tested.store.desk, { status, limit: 10 });
  await eventually(() => listed("sent")).toMatchObject([{ id: fresh!.id }]);
  expect(await listed("queued")).toMatchObject([{ id: due!.id, attempts: 0 }]);
  expect(tested.taken()).toEqual([fresh!.id]);
});

test("a sender that stops writes down an outcome that the store refuses at first", async ({ tested }) => {
  const wrapped = unwilling(tested.store);
  const { outbox, failed } = tested.openSender({ store: wrapped.store });
  const [one] = await tested.storeMails(1, outbox.lease());
  expect(await outbox.deliver([one!])).toBe(true);
  const stopped = outbox.stop(60_000);
  await eventually(() => failed.length).toBeGreaterThan(3);
  wrapped.refusing = false;
  await stopped;
  expect(await tested.newest()).toMatchObject({ id: one!.id, status: "sent", attempts: 1 });
});

test("a sender that stops with an outcome not written down keeps that mail's lease", async ({ tested }) => {
  const { outbox } = tested.openSender({ store: unwilling(tested.store).store, stopMs: 5 });
  const [one] = await tested.storeMails(1, outbox.lease());
  expect(await outbox.deliver([one!])).toBe(true);
  await outbox.stop(5);
  const now = tested.clock.now();
  expect(await tested.store.mails.claim(now, 1, { owner: "next", until: now + minute })).toEqual([]);
});

/** A store that can be away, and counts the looks at due mails and the renewals that it took. */
function absent({ clock, mails }: Store) {
  const wrapped = { isAway: false, done: { claim: 0, renew: 0 } };
  const unlessAway = async <T>(use: () => Promise<T>, name?: "claim" | "renew"): Promise<T> => {
    if (wrapped.isAway) throw new StorageUnavailable("away");
    const answer = await use();
    if (name !== undefined) wrapped.done[name] += 1;
    return answer;
  };
  const store: Pick<Store, "clock" | "mails"> = {
    clock,
    mails: {
      claim: (...claim) => unlessAway(() => mails.claim(...claim), "claim"),
      renew: (...renewal) => unlessAway(() => mails.renew(...renewal), "renew"),
      settle: (...settlement) => unlessAway(() => mails.settle(...settlement)),
    },
  };
  return Object.assign(wrapped, { store });
}

test("a lease is renewed while files leave, and before it ends unrenewed the mail is given up", async ({ tested }) => {
  tested.clock.hold();
  const mine = absent(tested.store);
  const begun = Promise.withResolvers<AbortSignal>();
  const mailer = mailerOf(async (_mails: readonly OutgoingMail[], giveUp?: AbortSignal) => {
    begun.resolve(giveUp!);
    await once(giveUp!, "abort");
    return [{ result: "later", error: "given up", cause: "ambiguous" }];
  });
  const { outbox } = tested.openSender({ mailer, store: mine.store, renewMs: 5 });
  const [mail] = await tested.storeMails(1, outbox.lease());
  const answer = outbox.deliver([mail!]);
  const giveUp = await begun.promise;
  for (let times = 0; times < 3; times += 1) {
    const before = mine.done.renew;
    tested.clock.advance(20_000);
    await eventually(() => mine.done.renew).toBeGreaterThan(before);
  }
  expect(giveUp.aborted).toBe(false);
  mine.isAway = true;
  tested.clock.advance(28_500);
  expect(await answer).toBe(false);
  // No other process can have the mail yet.
  const now = tested.clock.now();
  expect(await tested.store.mails.claim(now, 1, { owner: "other", until: now + minute })).toEqual([]);
});

test.for(["has seen it", "starts afterwards"])(
  "a reply that comes after the store was away is waited for, and no process that %s sends the mail meanwhile",
  async (which, { tested }) => {
    const { clock } = tested;
    const { gate: reply, sending: received, slow: mailer } = held({ doubt: "once-more" });
    const [mine, others] = [absent(tested.store), absent(await tested.openAgain())];
    const sender = ({ store }: typeof mine) => tested.openSender({ mailer, store, renewMs: 5 });
    const { outbox, failed } = sender(mine);
    const startOther = () => {
      const other = sender(others);
      other.outbox.start();
      return other;
    };
    const looks = async () => {
      const before = others.done.claim;
      await eventually(() => others.done.claim).toBeGreaterThan(before + 1);
    };
    const fail = async (errors: readonly unknown[]) => {
      const before = errors.length;
      await eventually(() => errors.length).toBeGreaterThan(before + 1);
    };
    const [mail] = await tested.storeMails(1, outbox.lease());
    const answer = outbox.deliver([mail!]);
    await eventually(() => received).toEqual([mail!.id]);
    outbox.start();
    const witness = which === "has seen it" ? startOther() : null;
    if (witness !== null) await looks();

    mine.isAway = others.isAway = true;
    await fail(witness?.failed ?? failed);
    clock.advance(minute);
    await fail(witness?.failed ?? failed);
    // The other one is the first to look.
    others.isAway = false;
    if (witness === null) startOther();
    await looks();
    mine.isAway = false;
    await eventually(() => mine.done.renew).toBeGreaterThan(0);
    clock.advance(20_000);
    await looks();
    reply.resolve();
    expect(await answer).toBe(true);
    await eventually(() => tested.newest()).toMatchObject({ status: "sent", attempts: 1 });
    expect(received).toEqual([mail!.id]);
  },
);
