// A sender that is refused as a whole: it pauses, and no mail loses a try.
import { expect } from "vitest";
import { listMails } from "../../../server/src/desk/mails.ts";
import { keptLog } from "../../support/kept-log.ts";
import { MovableClock } from "../../support/movable-clock.ts";
import { startService } from "../../support/service.ts";
import { PostmarkStandIn } from "../../support/postmark-stand-in.ts";
import { buyerAddress, eventually, inquire } from "../../support/outbox/mail-service.ts";
import { hour, minute, outboxTest as test, second } from "../../support/outbox/outbox-under-test.ts";
import { manyOrFew } from "../../support/many-or-few.ts";
import { useRaw } from "../../contract/sqlite-under-test.ts";

test("a provider that asks for time is left alone until then, however the clock is set", async ({ tested }) => {
  const { outbox } = tested.openSender();
  const deliver = async () => outbox.deliver(await tested.storeMails(1, outbox.lease()));
  tested.postmark.failNext({ kind: "error", status: 429, headers: { "retry-after": "60" } });
  expect([await deliver(), await deliver()]).toEqual([false, false]);
  tested.clock.set(2 * hour);
  expect(await deliver()).toBe(false);
  expect(tested.sends()).toBe(1);
  tested.clock.set(-4 * hour);
  tested.clock.advance(2 * minute);
  expect(await deliver()).toBe(true);
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
