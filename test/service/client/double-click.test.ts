// One key on several calls: a double click, a page loaded again. One submission, and everybody gets its receipt.
import { createSubmissionsClient } from "@submissions/client";
import { expect, test, vi } from "vitest";
import { buildClient } from "../../../client/src/sdk/build-client.ts";
import { startMailService } from "../../support/outbox/mail-service.ts";
import { buyer } from "../../support/doors.ts";
import { testClock } from "../../support/client/test-clock.ts";

const idempotencyKey = "a form's own key";

test("a second click while the first is under way waits for its receipt", async () => {
  await using running = await startMailService();
  // The first call is not answered before its confirmation is on the way.
  const gate = Promise.withResolvers<void>();
  running.postmark.gate = gate.promise;
  const first = createSubmissionsClient(running.service).marketplace.inquiry(buyer, { idempotencyKey });
  await vi.waitUntil(() => running.postmark.requests.length > 0, { timeout: 30_000 });

  const clock = testClock({
    random: 0,
    // More often than it would try after other failures.
    during: async (waits) => {
      if (waits < 6) return;
      gate.resolve();
      await first;
    },
  });
  const second = await buildClient(running.service, clock).marketplace.inquiry(buyer, { idempotencyKey });
  expect(second).toEqual(await first);
  expect(clock.waits).toEqual(Array(6).fill(1_000));
  expect((await running.service.stored()).inquiries).toHaveLength(1);
  expect(running.taken().filter((to) => to.includes(buyer.email))).toHaveLength(1);
});

test("a page that is loaded again while the service is at work gets the receipt of what it abandoned", async () => {
  await using running = await startMailService();
  const gate = Promise.withResolvers<void>();
  running.postmark.gate = gate.promise;
  const controller = new AbortController();
  const { signal } = controller;
  const abandoned = createSubmissionsClient(running.service).marketplace.inquiry(buyer, { idempotencyKey, signal });
  const rejected = expect(abandoned).rejects.toBe("reload");
  await vi.waitUntil(() => running.postmark.requests.length > 0, { timeout: 30_000 });
  controller.abort("reload");
  await rejected;

  // No event marks the end of the abandoned call, so this client really waits.
  gate.resolve();
  const client = createSubmissionsClient(running.service);
  const { inquiryId } = await client.marketplace.inquiry(buyer, { idempotencyKey });
  expect((await running.service.stored()).inquiries).toMatchObject([{ reference: inquiryId }]);
  expect(running.taken().filter((to) => to.includes(buyer.email))).toHaveLength(1);
});
