// Mail servers that take their time: a mail that was handed over is waited for, and no server gets a mail twice because
// it is slow. What stays in doubt is tried once more at most, and then shown to an operator.
import { describe, expect, test } from "vitest";
import { listMails } from "../../../server/src/desk/mails.ts";
import { messageId } from "../../../server/src/mail/message-id.ts";
import { openSmtpMailer, type SmtpPatience } from "../../../server/src/mail/providers/smtp.ts";
import type { LeasedMail } from "../../../server/src/storage/records.ts";
import { StorageUnavailable, type Store } from "../../../server/src/storage/store.ts";
import { SmtpStandIn } from "../../support/smtp-stand-in.ts";
import { eventually } from "../../support/outbox/mail-service.ts";
import { from, hour, minute, openOutboxUnderTest, second } from "../../support/outbox/outbox-under-test.ts";
import { wake } from "../../contract/records.ts";

const key = "0".repeat(32);
const sentAs = ({ id, kind, about }: LeasedMail) =>
  messageId({ id, kind, reference: "submission" in about ? about.submission.reference : null }, from, key);

interface Patience extends Partial<SmtpPatience> {
  readonly stopMs?: number;
  /** The store as this sender has it. */
  readonly within?: Pick<Store, "clock" | "mails">;
}

/** A server, a store, and outboxes that send from the one through the other. */
async function openSlow() {
  await using opened = new AsyncDisposableStack();
  const server = opened.use(await SmtpStandIn.open());
  const tested = opened.use(await openOutboxUnderTest());
  const mailers = opened.use(new AsyncDisposableStack());
  const resources = opened.move();
  const counted = { renewals: 0 };
  const store = countingRenewals(tested.store, counted);
  return {
    ...tested,
    server,
    counted,
    openSender({ handOverMs = 60_000, replyMs = 60_000, stopMs = 60_000, within = store }: Patience = {}) {
      const mailer = mailers.use(openSmtpMailer(server.url, from, key, { handOverMs, replyMs }));
      return tested.openSender({ mailer, store: within, stopMs, renewMs: 5 });
    },
    /** The Message-IDs of the mails that the server took, in order. */
    received: () => server.received.map(({ message }) => message.messageId ?? ""),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

function countingRenewals(store: Store, counted: { renewals: number }): Store {
  const { mails } = store;
  return {
    ...store,
    mails: {
      ...mails,
      renew(...renewal) {
        counted.renewals += 1;
        return mails.renew(...renewal);
      },
    },
  };
}

const silence = () => new Promise<void>(() => {});

test("a reply that takes nine minutes is waited for, and no other process sends the mail meanwhile", async () => {
  await using slow = await openSlow();
  const { server, clock, counted, received } = slow;
  const reply = Promise.withResolvers<void>();
  server.behaviour = { slow: () => reply.promise };
  const { outbox } = slow.openSender();
  const [mail] = await slow.storeMails(1, outbox.lease());
  const answer = outbox.deliver([mail!]);
  await eventually(received).toEqual([sentAs(mail!)]);
  // This process, and another one, look for due mails all the while.
  outbox.start();
  const { openSender } = slow;
  openSender().outbox.start();
  for (let passed = 0; passed < 9 * minute; passed += 15 * second) {
    const { renewals } = counted;
    clock.advance(15 * second);
    await eventually(() => counted.renewals).toBeGreaterThan(renewals);
  }
  reply.resolve();
  expect(await answer).toBe(true);
  await eventually(() => slow.newest()).toMatchObject({ status: "sent", attempts: 1 });
  expect(received()).toEqual([sentAs(mail!)]);
});

/** A store that can be away, and counts the looks at due mails and the renewals that it took. */
function absent({ clock, mails }: Store) {
  const wrapped = { isAway: false, done: { claim: 0, renew: 0 } };
  const unlessAway = async <T>(use: () => Promise<T>): Promise<T> => {
    if (wrapped.isAway) throw new StorageUnavailable("away");
    return use();
  };
  const counted = async <T>(name: "claim" | "renew", use: () => Promise<T>): Promise<T> => {
    const answer = await unlessAway(use);
    wrapped.done[name] += 1;
    return answer;
  };
  const store: Pick<Store, "clock" | "mails"> = {
    clock,
    mails: {
      claim: (...claim) => counted("claim", () => mails.claim(...claim)),
      renew: (...renewal) => counted("renew", () => mails.renew(...renewal)),
      settle: (...settlement) => unlessAway(() => mails.settle(...settlement)),
    },
  };
  return Object.assign(wrapped, { store });
}

test.each(["has seen it", "starts afterwards"])(
  "a reply that comes after the store was away is waited for, and no process that %s sends the mail meanwhile",
  async (which) => {
    await using slow = await openSlow();
    const { server, clock, received } = slow;
    const reply = Promise.withResolvers<void>();
    server.behaviour = { slow: () => reply.promise };
    const [mine, others] = [absent(slow.store), absent(await slow.openAgain())];
    const { outbox, failed } = slow.openSender({ within: mine.store });
    const startOther = () => {
      const other = slow.openSender({ within: others.store });
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
    const [mail] = await slow.storeMails(1, outbox.lease());
    const answer = outbox.deliver([mail!]);
    await eventually(received).toEqual([sentAs(mail!)]);
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
    clock.advance(20 * second);
    await looks();
    reply.resolve();
    expect(await answer).toBe(true);
    await eventually(() => slow.newest()).toMatchObject({ status: "sent", attempts: 1 });
    expect(received()).toEqual([sentAs(mail!)]);
  },
);

test("a mail of a process that died while the store was away is taken over in time", async () => {
  await using slow = await openSlow();
  const { clock, received } = slow;
  const [mail] = await slow.storeMails(1);
  const store = absent(slow.store);
  const { outbox, failed } = slow.openSender({ within: store.store });
  store.isAway = true;
  outbox.start();
  await eventually(() => failed.length).toBeGreaterThan(2);
  clock.advance(hour);
  store.isAway = false;
  await eventually(() => store.done.claim).toBeGreaterThan(1);
  clock.advance(20 * second);
  await eventually(received).toEqual([sentAs(mail!)]);
});

test.each([1.5, 11])("a server that takes %d s over every mail gets each of fifty due mails once", async (seconds) => {
  await using slow = await openSlow();
  const { server, clock, received } = slow;
  server.behaviour = { slow: async () => clock.advance(seconds * second) };
  const mails = await slow.storeDueMails(50);
  const { outbox } = slow.openSender();
  outbox.start();
  await eventually(() => slow.store.mailBacklog()).toMatchObject({ queued: 0, failed: 0, inDoubt: 0 });
  expect(received().toSorted()).toEqual(mails.map(sentAs).toSorted());
  expect((await slow.newest()).attempts).toBe(1);
});

describe("an ordered stop", () => {
  test("waits for the reply to what was handed over", async () => {
    await using slow = await openSlow();
    const { server, received } = slow;
    const reply = Promise.withResolvers<void>();
    server.behaviour = { slow: () => reply.promise };
    const { outbox } = slow.openSender();
    const mails = await slow.storeMails(5, outbox.lease());
    const answers = mails.map((mail) => outbox.deliver([mail]));
    await eventually(() => received().length).toBe(3);
    const stopped = outbox.stop();
    reply.resolve();
    await stopped;
    expect(await Promise.all(answers)).toEqual([true, true, true, false, false]);
    // The next process sends the others, and only those.
    slow.openSender().outbox.start();
    await eventually(() => slow.store.mailBacklog()).toMatchObject({ queued: 0, inDoubt: 0 });
    expect(received().toSorted()).toEqual(mails.map(sentAs).toSorted());
  });

  test("that cannot wait any longer leaves the mail in doubt and not due", async () => {
    await using slow = await openSlow();
    const { server, clock, received } = slow;
    server.behaviour = { slow: silence };
    const { outbox } = slow.openSender({ stopMs: 1 });
    const [mail] = await slow.storeMails(1, outbox.lease());
    const answer = outbox.deliver([mail!]);
    await eventually(received).toEqual([sentAs(mail!)]);
    await outbox.stop();
    expect(await answer).toBe(false);
    const next = { owner: "next", until: clock.now() + 2 * hour };
    expect(await slow.store.mails.claim(clock.now() + 29 * minute, 1, next)).toEqual([]);
    expect(await slow.store.mails.claim(clock.now() + 31 * minute, 1, next)).toMatchObject([{ timesNotFound: 0 }]);
  });
});

describe("a mail whose reply is lost", () => {
  test("is tried once more, late, and stays in doubt when that reply is lost too", async () => {
    await using slow = await openSlow();
    const { server, clock, received } = slow;
    server.behaviour = { data: "closeTaken" };
    const { outbox } = slow.openSender();
    outbox.start();
    const [mail] = await slow.storeMails(1, outbox.lease());
    expect(await outbox.deliver([mail!])).toBe(false);
    await eventually(() => slow.newest()).toMatchObject({ status: "queued", attempts: 1 });
    expect((await slow.newest()).dueAt).toBeGreaterThan(clock.now() + 29 * minute);
    clock.advance(31 * minute);
    await eventually(() => slow.newest()).toMatchObject({ status: "in-doubt", attempts: 2, dueAt: null });
    const [inDoubt] = await listMails(slow.store.desk, { status: "in-doubt", limit: 10 });
    expect(inDoubt).toMatchObject({ id: mail!.id, lastError: expect.stringContaining("smtp: ") });

    // Only an operator wakes it.
    clock.advance(100 * hour);
    server.behaviour = {};
    const [due] = await slow.storeDueMails(1);
    await eventually(received).toContain(sentAs(due!));
    expect(received()).toEqual([sentAs(mail!), sentAs(mail!), sentAs(due!)]);
    expect(await wake(slow.store, mail!.id, clock.now())).toBe("due");
    await eventually(() => slow.store.mailBacklog()).toMatchObject({ queued: 0, inDoubt: 0 });
    expect(received().filter((id) => id === sentAs(mail!))).toHaveLength(3);
  });

  test("because the server never replies is treated likewise", async () => {
    await using slow = await openSlow();
    const { server, clock } = slow;
    server.behaviour = { slow: silence };
    const { outbox } = slow.openSender({ replyMs: 100 });
    outbox.start();
    const [mail] = await slow.storeMails(1, outbox.lease());
    expect(await outbox.deliver([mail!])).toBe(false);
    clock.advance(31 * minute);
    await eventually(() => slow.newest()).toMatchObject({ status: "in-doubt", lastError: "smtp: time-out" });
    expect(server.asked).toBe(2);
  });

  test("with its process is sent once more, within a minute of the restart", async () => {
    await using slow = await openSlow();
    const { clock, received } = slow;
    const [mail] = await slow.storeMails(1);
    slow.openSender().outbox.start();
    clock.advance(minute + second);
    await eventually(received).toEqual([sentAs(mail!)]);
    await eventually(() => slow.newest()).toMatchObject({ status: "sent" });
  });
});
