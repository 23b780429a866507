// Webhooks in the console: what an admin does with them, what is refused, and what the audit log says of it.
import { expect, test } from "vitest";
import type { WebhookRow } from "../../../shared/src/console.ts";
import { startService } from "../../support/service.ts";
import { shared } from "../../support/shared.ts";
import { openReceiver } from "../../support/webhooks/receiver.ts";
import { auditOf, operator, submitAll } from "../../support/console/operator.ts";

const service = shared(() => startService({ env: { WEBHOOK_TARGETS: "loopback" } }));
const admin = shared(() => operator(service(), "admin@example.org", "admin"));

const list = async () => (await admin().call("webhooks.list")).data as WebhookRow[];
const deliveries = async (webhook: number | null) => {
  const { data } = await admin().call("webhooks.deliveries", { webhook, page: {} });
  return (data as { rows: { id: string; status: string; attempts: number }[] }).rows;
};

test("a webhook is added, told, replayed, given a new secret and removed, all of it in the audit log", async () => {
  await using receiver = await openReceiver();
  const added = await admin().call("webhooks.add", { url: `${receiver.url}/p`, events: ["inquiry.received"] });
  expect(added.data).toEqual({ secret: expect.stringMatching(/^whsec_/) as string });
  const [webhook] = (await list()) as [WebhookRow];
  expect(webhook).toMatchObject({ url: `${receiver.url}/p`, events: ["inquiry.received"], oldSecretUntil: null });
  await submitAll(service());
  await receiver.got(1);
  await expect.poll(async () => (await deliveries(webhook.id))[0]?.status).toBe("delivered");
  const [delivery] = await deliveries(null);
  expect((await admin().call("webhooks.replay", { id: delivery?.id })).data).toBeNull();
  await receiver.got(2);
  expect((await admin().call("webhooks.replayFailed", { id: webhook.id })).data).toEqual({ replayed: 0 });
  const rotated = await admin().call("webhooks.rotate", { id: webhook.id });
  expect(rotated.data).not.toEqual(added.data);
  expect((await list())[0]?.oldSecretUntil).toBeGreaterThan(Date.now());
  expect((await admin().call("webhooks.remove", { id: webhook.id })).data).toBeNull();
  expect(await list()).toEqual([]);
  expect(await deliveries(null)).toEqual([]);

  const entries = (await auditOf(service())).filter(({ action }) => action.startsWith("webhook."));
  expect(entries.map(({ action }) => action.replace("webhook.", "")).join(" ")).toBe("add replay replay rotate remove");
  for (const entry of entries) {
    expect(entry).toMatchObject({ operator: "admin@example.org", subject: `webhook ${webhook.id}` });
    expect(entry.detail["host"]).toBe(new URL(receiver.url).host);
  }
  expect(JSON.stringify(entries)).not.toContain("whsec_");
});

test.each([
  ["http://crm.example.org/", "The address must start with https://."],
  ["https://10.0.0.1/", "The address must be a host of the internet."],
  ["https://a:b@crm.example.org/", "The address must not hold a user name or password."],
])("%s is refused, and nothing is stored", async (url, message) => {
  const before = (await auditOf(service())).length;
  const { status, issues } = await admin().call("webhooks.add", { url, events: ["inquiry.received"] });
  expect([status, issues]).toEqual([400, [{ path: ["url"], message }]]);
  expect(await list()).toEqual([]);
  expect(await auditOf(service())).toHaveLength(before);
});

test("no event, an unknown event, and what does not exist are refused", async () => {
  const url = "https://crm.example.org/";
  for (const events of [[], ["inquiry.lost"]]) {
    expect((await admin().call("webhooks.add", { url, events })).status).toBe(400);
  }
  for (const path of ["remove", "rotate", "replayFailed"]) {
    expect((await admin().call(`webhooks.${path}`, { id: 999 })).status, path).toBe(404);
  }
  expect((await admin().call("webhooks.replay", { id: "msg_1-1" })).status).toBe(404);
});
