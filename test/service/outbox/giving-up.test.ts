// For how long a mail is tried, and how it comes back after that.
import { expect } from "vitest";
import { retryMails } from "../../../server/src/desk/mails.ts";
import { retryMsMax } from "../../../server/src/mail/settlement.ts";
import { eventually } from "../../support/outbox/mail-service.ts";
import { hour, outboxTest as test } from "../../support/outbox/outbox-under-test.ts";

test("a mail is tried for 72 hours, then shown as failed, and sent once an operator wakes it", async ({ tested }) => {
  tested.postmark.breakdown = { kind: "error", status: 422, code: 100 };
  const { outbox } = tested.openSender();
  outbox.start();
  const start = tested.clock.now();
  const [one] = await tested.storeMails(1, outbox.lease());
  expect(await outbox.deliver([one!])).toBe(false);
  let [tries, now] = [0, start];
  while ((await tested.newest()).status === "queued") {
    expect(now).toBeLessThan(start + retryMsMax + 2 * hour);
    await eventually(async () => (await tested.newest()).attempts).toBeGreaterThan(tries);
    tries = (await tested.newest()).attempts;
    tested.clock.advance(hour);
    now = tested.clock.now();
  }
  expect(now).toBeGreaterThan(start + retryMsMax);
  expect(tries).toBeGreaterThan(70);
  const lastError = "given up: postmark: HTTP 422, code 100";
  expect(await tested.newest()).toMatchObject({ status: "failed", dueAt: null, lastError });
  expect(await tested.store.mailBacklog()).toMatchObject({ queued: 0, failed: 1 });

  tested.postmark.breakdown = null;
  expect(await retryMails(tested.store, "failed", tested.clock.now())).toBe(1);
  await eventually(() => tested.taken()).toEqual([one!.id]);
  await eventually(() => tested.newest()).toMatchObject({ status: "sent", lastError: null });
});
