// A sender that is refused as a whole: it pauses, and no mail loses a try.
import { expect } from "vitest";
import { keptLog } from "../../support/kept-log.ts";
import { MovableClock } from "../../support/movable-clock.ts";
import { startService } from "../../support/service.ts";
import { PostmarkStandIn } from "../../support/postmark-stand-in.ts";
import { buyerAddress, inquire } from "../../support/outbox/mail-service.ts";
import { hour, minute, outboxTest as test } from "../../support/outbox/outbox-under-test.ts";

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
