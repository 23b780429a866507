// A mail that may have been sent: the provider is asked before it is sent again.
import { describe, expect } from "vitest";
import type { Mailer } from "../../../server/src/mail/mailer.ts";
import { openPostmarkMailer } from "../../../server/src/mail/providers/postmark.ts";
import type { PostmarkFault } from "../../support/postmark-stand-in.ts";
import { eventually } from "../../support/outbox/mail-service.ts";
import {
  from,
  mailerOf,
  minute,
  outboxTest as test,
  second,
  taken,
  type OutboxUnderTest,
} from "../../support/outbox/outbox-under-test.ts";

const lostAnswers: readonly [string, PostmarkFault][] = [
  ["hangs until the time-out", { kind: "hang" }],
  ["breaks the connection", { kind: "reset" }],
  ["cuts its answer", { kind: "cut" }],
  ["answers 500", { kind: "error", status: 500 }],
  ["answers 502 with a page", { kind: "body", status: 502, body: "<html>" }],
  ["answers 200 with nothing", { kind: "body", status: 200, body: "" }],
];

/**
 * A mailer that does not wait long for its first answer. It has a connection by then: over a new one a busy machine may take
 * all of the time before the mail is sent.
 */
async function openHastyMailer({ postmark }: OutboxUnderTest): Promise<Mailer> {
  const settings = { token: postmark.token, apiUrl: postmark.url };
  const [patient, hasty] = [settings, { ...settings, timeoutMs: 800 }].map((each) =>
    openPostmarkMailer(each, from, "0".repeat(32)),
  );
  await eventually(() => hasty!.find!([{ id: "unknown" }])).toEqual([{ result: "absent" }]);
  postmark.requests.length = 0;
  let sends = 0;
  return { ...patient!, send: (mails) => ((sends += 1) === 1 ? hasty! : patient!).send(mails) };
}

/** Sends one mail, whose answer is lost. */
async function sendIntoDoubt(tested: OutboxUnderTest, fault: PostmarkFault) {
  const sender = tested.openSender(fault.kind === "hang" ? { mailer: await openHastyMailer(tested) } : {});
  const [one] = await tested.storeMails(1, sender.outbox.lease());
  tested.postmark.failNext(fault);
  expect(await sender.outbox.deliver([one!])).toBe(false);
  await eventually(() => tested.newest()).toMatchObject({ status: "queued", attempts: 1 });
  // A call may be given up before the provider has read it.
  await eventually(() => tested.sends()).toBe(1);
  sender.outbox.start();
  return { ...sender, mail: one! };
}

describe.each(lostAnswers)("when the provider %s", (_, fault) => {
  test("and has the mail, it is found and not sent again", async ({ tested }) => {
    const { mail, outbox } = await sendIntoDoubt(tested, { ...fault, taken: true });
    tested.clock.advance(minute);
    const [found] = tested.postmark.taken;
    await eventually(() => tested.newest()).toMatchObject({
      status: "sent",
      providerId: found!.MessageID,
      dueAt: null,
    });
    await outbox.stop();
    expect(tested.taken()).toEqual([mail.id]);
    expect([tested.sends(), tested.searches()]).toEqual([1, 1]);
  });

  test("and does not have the mail, it is sent again, once that was said twice", async ({ tested }) => {
    const { mail } = await sendIntoDoubt(tested, { ...fault, taken: false });
    tested.clock.advance(minute);
    await eventually(() => tested.newest()).toMatchObject({ lastError: expect.stringContaining("in doubt") });
    expect([tested.sends(), tested.searches()]).toEqual([1, 1]);
    tested.clock.advance(minute);
    await eventually(() => tested.newest()).toMatchObject({ status: "sent", attempts: 2 });
    expect(tested.taken()).toEqual([mail.id]);
    expect([tested.sends(), tested.searches()]).toEqual([2, 2]);
  });
});

test("the provider is asked when it can know, and a mail indexed late is not sent again", async ({ tested }) => {
  tested.postmark.indexed = 0;
  const before = tested.clock.now();
  const { mail, outbox } = await sendIntoDoubt(tested, { kind: "reset", taken: true });
  expect((await tested.newest()).dueAt).toBeGreaterThanOrEqual(before + 30 * second);
  tested.clock.advance(minute);
  await eventually(() => tested.searches()).toBe(1);
  await eventually(() => tested.newest()).toMatchObject({ lastError: expect.stringContaining("in doubt") });
  tested.postmark.indexed = Infinity;
  tested.clock.advance(minute);
  await eventually(() => tested.newest()).toMatchObject({ status: "sent" });
  await outbox.stop();
  expect(tested.taken()).toEqual([mail.id]);
});

test("a provider that does not answer the question is asked again, and handed nothing", async ({ tested }) => {
  const { mail } = await sendIntoDoubt(tested, { kind: "reset", taken: true });
  tested.postmark.failNext({ kind: "error", status: 500 }, { kind: "body", status: 200, body: "{}" });
  for (const searches of [1, 2]) {
    tested.clock.advance(minute);
    await eventually(() => tested.searches()).toBe(searches);
    await eventually(() => tested.newest()).toMatchObject({ status: "queued", attempts: 1 + searches });
  }
  tested.clock.advance(minute);
  await eventually(() => tested.newest()).toMatchObject({ status: "sent" });
  expect(tested.taken()).toEqual([mail.id]);
});

test("two hundred lost answers are two hundred mails", async ({ tested }) => {
  const { outbox } = tested.openSender();
  const mails = [];
  for (let n = 0; n < 400; n += 1) {
    const [one] = await tested.storeMails(1, outbox.lease());
    mails.push(one!);
    if (n % 2 === 0) tested.postmark.failNext({ kind: "reset", taken: true });
    expect(await outbox.deliver([one!])).toBe(n % 2 === 1);
  }
  outbox.start();
  tested.clock.advance(minute);
  await eventually(() => tested.store.mailBacklog()).toMatchObject({ queued: 0, failed: 0 });
  expect(tested.taken()).toEqual(mails.map(({ id }) => id));
});

describe("after a crash", () => {
  test("a mail that the dead process had sent is found and not sent again", async ({ tested }) => {
    const [one] = await tested.storeMails(1);
    const sentByTheDead = tested.openSender();
    await sentByTheDead.outbox.deliver([one!]);
    await sentByTheDead.outbox.stop();
    expect(await tested.newest()).toMatchObject({ status: "queued" });
    const { outbox } = tested.openSender();
    outbox.start();
    tested.clock.advance(2 * minute);
    await eventually(() => tested.newest()).toMatchObject({ status: "sent" });
    expect(tested.taken()).toEqual([one!.id]);
  });

  test("a mail that was never sent goes out within a minute of the restart", async ({ tested }) => {
    const dead = tested.openSender();
    tested.clock.hold();
    // The worst case: killed and restarted in the moment of the commit.
    const restart = tested.clock.now();
    const [one] = await tested.storeMails(1, dead.outbox.lease());
    const { outbox } = tested.openSender();
    outbox.start();
    await eventually(() => {
      tested.letPass(second / 2);
      return tested.taken();
    }).toEqual([one!.id]);
    expect(tested.searches()).toBe(2);
    expect(tested.clock.now() - restart).toBeLessThan(minute);
  });

  test("over a provider that cannot be asked the mail is sent once its lease is over", async ({ tested }) => {
    const [one] = await tested.storeMails(1);
    const sent: string[] = [];
    const { outbox } = tested.openSender({
      mailer: mailerOf(async (mails) => {
        sent.push(...mails.map(({ id }) => id));
        return taken(mails);
      }),
    });
    outbox.start();
    tested.clock.advance(2 * minute);
    await eventually(() => sent).toEqual([one!.id]);
  });
});

test("a mail that was given up in doubt is asked about when an operator wakes it", async ({ tested }) => {
  const { mail } = await sendIntoDoubt(tested, { kind: "reset", taken: true });
  tested.postmark.breakdown = { kind: "error", status: 500 };
  while ((await tested.newest()).status === "queued") {
    const { attempts } = await tested.newest();
    tested.clock.advance(60 * minute);
    await eventually(async () => (await tested.newest()).attempts).toBeGreaterThan(attempts);
  }
  expect(await tested.newest()).toMatchObject({ status: "failed", lastError: "given up: postmark: HTTP 500" });
  tested.postmark.breakdown = null;
  const sends = tested.sends();
  await tested.store.retryMail(mail.id, tested.clock.now());
  // The outage has made the sender pause.
  tested.clock.advance(10 * minute);
  await eventually(() => tested.newest()).toMatchObject({ status: "sent" });
  expect(tested.taken()).toEqual([mail.id]);
  expect(tested.sends()).toBe(sends);
});

test("a process that was frozen during a try does not send the mail again when it wakes", async ({ tested }) => {
  const gate = Promise.withResolvers<void>();
  const sent: string[] = [];
  const { outbox, settled } = tested.openSender({
    mailer: mailerOf(async (mails) => {
      sent.push(...mails.map(({ id }) => id));
      await gate.promise;
      return taken(mails);
    }),
  });
  const [frozen] = await tested.storeMails(1, outbox.lease());
  const answer = outbox.deliver([frozen!]);
  await eventually(() => sent).toEqual([frozen!.id]);
  tested.clock.advance(60 * minute);
  // It looks for due mails all the while: this one it finds.
  const [other] = await tested.storeDueMails(1);
  outbox.start();
  await eventually(() => sent).toEqual([frozen!.id, other!.id]);
  gate.resolve();
  expect(await answer).toBe(true);
  await eventually(() => settled.length).toBe(2);
  await outbox.stop();
  expect(sent).toHaveLength(2);
  expect(await tested.store.mailBacklog()).toMatchObject({ queued: 0, failed: 0 });
});

test("a sender that stops waits for no call that hangs, and leaves its mail to be asked about", async ({ tested }) => {
  const { outbox } = tested.openSender({ stopMs: 0 });
  const now = tested.clock.now();
  const [one] = await tested.storeMails(1, outbox.lease());
  tested.postmark.failNext({ kind: "hang", taken: true });
  const answer = outbox.deliver([one!]);
  await eventually(() => tested.taken()).toEqual([one!.id]);
  await outbox.stop();
  const next = { owner: "next", until: now + 10 * minute };
  expect(await tested.store.mails.claim(now, 1, next)).toEqual([]);
  expect(await tested.store.mails.claim(now + minute, 1, next)).toMatchObject([{ id: one!.id, timesNotFound: 0 }]);
  await answer;
});

test("a sender that is about to stop claims nothing, and still sends what is stored", async ({ tested }) => {
  const { outbox } = tested.openSender();
  outbox.start();
  outbox.stopClaiming();
  await tested.storeDueMails(2);
  const [fresh] = await tested.storeMails(1, outbox.lease());
  expect(await outbox.deliver([fresh!])).toBe(true);
  await outbox.stop();
  expect(tested.taken()).toEqual([fresh!.id]);
});
