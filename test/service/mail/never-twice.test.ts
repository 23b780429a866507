// A mail that may have been sent: the provider is asked before it is sent again.
import { describe, expect } from "vitest";
import { openSmtpMailer } from "../../../server/src/mail/providers/smtp.ts";
import { accept, inquiry } from "../../contract/records.ts";
import { from, messageKey, settings } from "../../support/mail/examples.ts";
import { SmtpStandIn } from "../../support/smtp-stand-in.ts";
import { eventually } from "../../support/outbox/mail-service.ts";
import { minute, outboxTest as test, second, type OutboxUnderTest } from "../../support/outbox/outbox-under-test.ts";

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
    await eventually(() => tested.newest()).toMatchObject({ status: "sent", providerId: found!.MessageID });
    await outbox.stop(5_000);
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

test("an address that greylists a notice gets it later, also after a restart, and those that have it do not", async ({
  tested,
}) => {
  await using smtp = await SmtpStandIn.open();
  const [sales = "", boss = ""] = settings.teams.inquiry;
  await using mailer = openSmtpMailer(smtp.url, from, messageKey);
  smtp.behaviour = { recipients: { [boss]: { code: 451, words: "4.7.1 Greylisted" } } };
  const before = tested.openSender({ mailer });
  const lease = before.outbox.lease();
  const { mails } = await accept(tested.store, inquiry(1, { receivedAt: tested.clock.now() }), { lease });
  await before.outbox.deliver(mails.slice(1));
  await eventually(() => before.settled).toEqual([{ id: mails[1]!.id, result: "later" }]);
  await before.outbox.stop(5_000);
  smtp.behaviour = {};
  const after = tested.openSender({ mailer });
  after.outbox.start();
  tested.clock.advance(minute);
  await eventually(() => after.settled).toContainEqual({ id: mails[1]!.id, result: "sent" });
  const notices = smtp.received.filter(({ envelope }) => !envelope.to.includes(inquiry(1).email));
  expect(notices.map(({ envelope }) => envelope.to)).toEqual([[sales], [boss]]);
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
