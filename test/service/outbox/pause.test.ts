// A sender that is refused as a whole: it pauses, and no mail loses a try.
import { expect } from "vitest";
import { listMails } from "../../../server/src/desk/mails.ts";
import { openSmtpMailer } from "../../../server/src/mail/providers/smtp.ts";
import { keptLog } from "../../support/kept-log.ts";
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
  second,
  type Sender,
} from "../../support/outbox/outbox-under-test.ts";
import { manyOrFew } from "../../support/many-or-few.ts";
import { useRaw } from "../../contract/sqlite-under-test.ts";

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
  const { lines, log } = keptLog();
  const clock = new MovableClock();
  clock.hold();
  await using service = await startService({ log, clock, env: { ...postmark.env, POSTMARK_SERVER_TOKEN: "wrong" } });
  for (const n of [1, 2, 3]) {
    expect((await inquire(service, n)).receipt).toMatchObject({ confirmationEmailSent: false });
  }
  expect(postmark.requests).toHaveLength(1);
  expect(lines.filter(({ msg }) => String(msg).includes("no mail is sent"))).toMatchObject([
    { code: "postmark: HTTP 401, code 10" },
  ]);
  expect(await (await fetch(`${service.url}/metrics`)).text()).toMatch(/^mail_sender_paused 1$/m);
  expect(JSON.stringify(lines)).not.toContain(buyerAddress(1));
});

// A day without a provider, and thousands of mails that wait for it, ten thousand at night.
const backlog = manyOrFew(10_000);

test("after a day's outage mails go out in order of age, each once, new ones before them", async ({ tested }) => {
  const { clock, location, postmark, store } = tested;
  if (location.kind !== "sqlite") throw new Error("This test fills a file of SQLite.");
  await tested.storeDueMails(1);
  const start = clock.now();
  // One every 8.6 s, and in no order of their ids. All are about the one subscriber that there is.
  useRaw(location.file, (database) => {
    database
      .prepare(
        `WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ${backlog - 1})
         INSERT INTO mail (kind, subscriber, tokens, status, created_at, due_at)
         SELECT kind, subscriber, tokens, 'queued', ?1 + n * ?2, ?1 + n * ?2 FROM mail, number
         ORDER BY n * 7919 % ${backlog}`,
      )
      // In the past: a row that was written later than now is due now.
      .run(start - 24 * hour, Math.floor((24 * hour) / backlog));
  });
  postmark.breakdown = { kind: "error", status: 429 };
  const { outbox, pauses } = tested.openSender();
  outbox.start();
  await eventually(() => {
    tested.letPass(hour / 60);
    return pauses.length;
  }).toBe(1);
  clock.advance(start + 24 * hour - clock.now());
  expect(postmark.requests.length).toBeLessThan(100);
  postmark.breakdown = null;
  await eventually(() => {
    tested.letPass(second);
    return postmark.taken.length;
  }).toBeGreaterThan(backlog / 10);
  const [fresh] = await tested.storeMails(1, outbox.lease());
  expect(await outbox.deliver([fresh!])).toBe(true);
  expect(postmark.taken.length).toBeLessThan(backlog);
  await eventually(() => {
    tested.letPass(hour / 60);
    return store.mailBacklog();
  }).toMatchObject({ queued: 0, failed: 0 });

  const taken = tested.taken();
  expect(taken).toHaveLength(backlog + 1);
  expect(new Set(taken).size).toBe(backlog + 1);
  const mails = new Map((await listMails(store.desk, { limit: 2 * backlog })).map((mail) => [mail.id, mail]));
  // Those that were tried in vain, one batch of 500 at most beside single ones, waited for their next try.
  const sentAtOnce = taken.filter((id) => id !== fresh!.id && mails.get(id)?.attempts === 1);
  expect(sentAtOnce.length).toBeGreaterThan(backlog - 600);
  const ages = sentAtOnce.map((id) => mails.get(id)?.createdAt ?? 0);
  expect(ages).toEqual(ages.toSorted((a, b) => a - b));
});
