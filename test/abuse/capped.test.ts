// Automatic mails that an address gets no more of are not written, and counted.
import { expect, test } from "vitest";
import { automaticMailsMax } from "../../server/src/storage/automatic-mail.ts";
import { buyer, json, rest, rpc } from "../support/doors.ts";
import { startService } from "../support/service.ts";

test("mails that are not written because the address has had its share are counted by kind", async () => {
  await using service = await startService();
  const metrics = async () => (await fetch(`${service.url}/metrics`)).text();
  for (let sent = 0; sent < automaticMailsMax; sent += 1) {
    expect((await rest.send(service, "marketplace.inquiry", json(buyer))).status).toBe(200);
  }
  expect(await metrics()).not.toContain("capped");
  for (const door of [rest, rpc]) {
    expect((await door.send(service, "marketplace.inquiry", json(buyer))).status).toBe(200);
  }
  expect((await rest.send(service, "newsletter.subscribe", json({ email: buyer.email }))).status).toBe(200);
  const text = await metrics();
  expect(text).toContain('mails_total{kind="inquiry-receipt",result="capped"} 2\n');
  expect(text).toContain('mails_total{kind="newsletter-welcome",result="capped"} 1\n');
  expect(text).not.toMatch(/kind="inquiry-notice",result="capped"/);
});
