// Automatic mails that an address gets no more of are not written, and counted. Receipts and newsletter mails have counts
// of their own, so that neither tells of the other.
import { expect, test } from "vitest";
import { receiptsMax } from "../../../server/src/storage/rules/mails.ts";
import { buyer, json, rest, rpc } from "../../support/doors.ts";
import { startService } from "../../support/service.ts";

test("receipts beyond the limit are not written and counted by kind, and the newsletter has a limit of its own", async () => {
  await using service = await startService();
  const metrics = async () => (await fetch(`${service.url}/metrics`)).text();
  const inquire = async (door = rest) =>
    (await door.send(service, "marketplace.inquiry", json(buyer))).receipt?.["confirmationEmailSent"];
  // Were it counted with the receipts, the last of them would not be sent, and tell that the address has subscribed.
  expect((await rest.send(service, "newsletter.subscribe", json({ email: buyer.email }))).status).toBe(200);
  for (let sent = 0; sent < receiptsMax; sent += 1) expect(await inquire()).toBe(true);
  for (const door of [rest, rpc]) expect(await inquire(door)).toBe(false);
  // Metrics are worked out once a second.
  const capped = async () => (await metrics()).split("\n").filter((line) => line.includes("capped"));
  await expect.poll(capped, { timeout: 10_000 }).toEqual(['mails_total{kind="inquiry-receipt",result="capped"} 2']);
  const other = { email: "other@example.org" };
  for (let sent = 0; sent < receiptsMax; sent += 1) {
    await rest.send(service, "marketplace.inquiry", json({ ...buyer, ...other }));
  }
  expect((await rest.send(service, "newsletter.subscribe", json(other))).status).toBe(200);
  const welcomes = async () => (await service.mails()).filter((mail) => mail.to?.[0]?.address === other.email).length;
  await expect.poll(welcomes).toBe(receiptsMax + 1);
});
