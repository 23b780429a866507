// A sender that is refused as a whole: it pauses, and no mail loses a try.
import { expect } from "vitest";
import { listMails } from "../../../server/src/desk/mails.ts";
import { createLog } from "../../../server/src/observe/log.ts";
import { openSmtpMailer } from "../../../server/src/mail/providers/smtp.ts";
import { MovableClock } from "../../support/movable-clock.ts";
import { startService } from "../../support/service.ts";
import { PostmarkStandIn } from "../../support/postmark-stand-in.ts";
import { SmtpStandIn } from "../../support/smtp-stand-in.ts";
import { buyerAddress, count, eventually, inquire } from "../../support/outbox/mail-service.ts";
import {
  from,
  hour,
  minute,
  outboxTest as test,
  type OutboxUnderTest,
  type Sender,
} from "../../support/outbox/outbox-under-test.ts";

const wrongToken = { kind: "error", status: 401, code: 10 } as const;

/** Stores mails and has them sent at once. Answers whether the first of them was taken. */
async function deliver(tested: OutboxUnderTest, { outbox }: Sender, number = 1) {
  return outbox.deliver(await tested.storeMails(number, outbox.lease()));
}

test("with a wrong token no mail loses a try, and none is given up however long it lasts", async ({ tested }) => {
  tested.postmark.breakdown = wrongToken;
  const sender = tested.openSender();
  await tested.storeDueMails(50);
  sender.outbox.start();
  for (let probes = 1; probes < 100; probes += 1) {
    await eventually(() => {
      tested.letPass(hour);
      return tested.sends();
    }).toBeGreaterThan(probes);
  }
  expect(tested.postmark.requests.slice(1).every(({ messages }) => messages === 1)).toBe(true);
  const mails = await listMails(tested.store.desk, { limit: 100 });
  expect(mails.map(({ status, attempts }) => [status, attempts])).toEqual(mails.map(() => ["queued", 0]));

  tested.postmark.breakdown = null;
  await eventually(() => {
    tested.letPass(minute);
    return tested.store.mailBacklog();
  }).toMatchObject({ queued: 0, failed: 0 });
  expect(sender.pauses).toEqual(["postmark: HTTP 401, code 10", "resumed"]);
});

test("a provider that asks for time is left alone until then, however the clock is set", async ({ tested }) => {
  const sender = tested.openSender();
  tested.postmark.failNext({ kind: "error", status: 429, headers: { "retry-after": "60" } });
  expect(await deliver(tested, sender)).toBe(false);
  expect(await deliver(tested, sender)).toBe(false);
  tested.clock.set(2 * hour);
  expect(await deliver(tested, sender)).toBe(false);
  expect(tested.sends()).toBe(1);
  tested.clock.set(-4 * hour);
  tested.clock.advance(2 * minute);
  expect(await deliver(tested, sender)).toBe(true);
});

test("a provider that is down is tried with every mail at first, then now and then with one", async ({ tested }) => {
  tested.postmark.breakdown = { kind: "reset" };
  // Within the pause, however slow this process is.
  tested.clock.hold();
  const sender = tested.openSender();
  while (sender.pauses.length === 0) expect(await deliver(tested, sender)).toBe(false);
  const sends = tested.sends();
  expect(sends).toBe(10);
  expect(await deliver(tested, sender)).toBe(false);
  expect(tested.sends()).toBe(sends);
  tested.postmark.breakdown = null;
  tested.clock.advance(hour);
  sender.outbox.start();
  await eventually(() => {
    tested.letPass(minute);
    return tested.store.mailBacklog();
  }).toMatchObject({ queued: 0, failed: 0 });
});

test("one mail that Postmark will not have does not stop the others", async ({ tested }) => {
  tested.postmark.refuse("reader1@example.org", 1_234);
  const sender = tested.openSender();
  expect(await deliver(tested, sender, 3)).toBe(true);
  expect(sender.pauses).toEqual([]);
  expect(tested.taken()).toHaveLength(2);
});

test.for([
  ["by its policy", { code: 554, words: "5.7.1 Blocked" }],
  ["for now", { code: 450, words: "4.2.0 Greylisted" }],
] as const)("recipients that SMTP refuses %s do not stop the mails to others", async ([_how, refusal], { tested }) => {
  await using server = await SmtpStandIn.open();
  await using mailer = openSmtpMailer(server.url, from, "0".repeat(32));
  const refused = 10;
  server.behaviour = { recipients: Object.fromEntries(count(refused).map((n) => [`reader${n}@example.org`, refusal])) };
  const sender = tested.openSender({ mailer });
  for (let mails = 0; mails < refused; mails += 1) expect(await deliver(tested, sender)).toBe(false);
  expect(await deliver(tested, sender)).toBe(true);
  expect(sender.pauses).toEqual([]);
});

test("a pause is logged once, and shown in the metrics while it lasts", async () => {
  await using postmark = await PostmarkStandIn.open();
  const lines: { readonly level: string; readonly msg: string }[] = [];
  const log = createLog("info", { write: (line: string) => (lines.push(JSON.parse(line) as never), true) });
  const clock = new MovableClock();
  clock.hold();
  await using service = await startService({ log, clock, env: { ...postmark.env, POSTMARK_SERVER_TOKEN: "wrong" } });
  for (const n of [1, 2, 3]) {
    expect((await inquire(service, n)).receipt).toMatchObject({ confirmationEmailSent: false });
  }
  expect(postmark.requests).toHaveLength(1);
  expect(lines.filter(({ msg }) => msg.includes("no mail is sent"))).toMatchObject([
    { code: "postmark: HTTP 401, code 10" },
  ]);
  expect(await (await fetch(`${service.url}/metrics`)).text()).toMatch(/^mail_sender_paused 1$/m);
  expect(JSON.stringify(lines)).not.toContain(buyerAddress(1));
});
