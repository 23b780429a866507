// A mail that may have been sent: the provider is asked before it is sent again.
import { describe, expect } from "vitest";
import { eventually } from "../../support/outbox/mail-service.ts";
import { minute, outboxTest as test, second, type OutboxUnderTest } from "../../support/outbox/outbox-under-test.ts";
import { wake } from "../../contract/records.ts";

/** Sends one mail, whose answer is lost. */
async function sendIntoDoubt(tested: OutboxUnderTest, isTaken: boolean) {
  const sender = tested.openSender();
  const [one] = await tested.storeMails(1, sender.outbox.lease());
  tested.postmark.failNext({ kind: "reset", taken: isTaken });
  expect(await sender.outbox.deliver([one!])).toBe(false);
  await eventually(() => tested.newest()).toMatchObject({ status: "queued", attempts: 1 });
  // A call may be given up before the provider has read it.
  await eventually(() => tested.sends()).toBe(1);
  sender.outbox.start();
  return { ...sender, mail: one! };
}

describe("when the answer of the provider is lost", () => {
  test("a mail that it has is found and not sent again", async ({ tested }) => {
    const { mail, outbox } = await sendIntoDoubt(tested, true);
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

  test("a mail that it does not have is sent again, once that was said twice", async ({ tested }) => {
    const { mail } = await sendIntoDoubt(tested, false);
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
  const { mail, outbox } = await sendIntoDoubt(tested, true);
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
  const { mail } = await sendIntoDoubt(tested, true);
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

describe("after a crash", () => {
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
});

test("a mail that was given up in doubt is asked about when an operator wakes it", async ({ tested }) => {
  const { mail } = await sendIntoDoubt(tested, true);
  tested.postmark.breakdown = { kind: "error", status: 500 };
  while ((await tested.newest()).status === "queued") {
    const { attempts } = await tested.newest();
    tested.clock.advance(60 * minute);
    await eventually(async () => (await tested.newest()).attempts).toBeGreaterThan(attempts);
  }
  expect(await tested.newest()).toMatchObject({ status: "failed", lastError: "given up: postmark: HTTP 500" });
  tested.postmark.breakdown = null;
  const sends = tested.sends();
  await wake(tested.store, mail.id, tested.clock.now());
  // The outage has made the sender pause.
  tested.clock.advance(10 * minute);
  await eventually(() => tested.newest()).toMatchObject({ status: "sent" });
  expect(tested.taken()).toEqual([mail.id]);
  expect(tested.sends()).toBe(sends);
});
