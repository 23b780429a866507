// The example of a receiver in deploy/slack: the service tells it, and it tells Slack, which a server here stands in for.
import { expect, test } from "vitest";
import { createReceiver } from "../../../deploy/slack/receiver.ts";
import { openStore } from "../../../server/src/storage/open-store.ts";
import { signedHeaders } from "../../../server/src/webhooks/delivery.ts";
import { buyer, json, rest } from "../../support/doors.ts";
import { listening } from "../../support/listening.ts";
import { startService } from "../../support/service.ts";
import { openReceiver } from "../../support/webhooks/receiver.ts";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

const openExample = (secrets: readonly string[], slackUrl: string) => listening(createReceiver({ secrets, slackUrl }));

test("an inquiry becomes a line in Slack, with a link to the console", async () => {
  await using slack = await openReceiver();
  const PUBLIC_URL = "https://submissions.example.org";
  await using service = await startService({ env: { WEBHOOK_TARGETS: "loopback", PUBLIC_URL } });
  await using store = await openStore(service.storage);
  await using example = await openExample([secret], `${slack.url}/services/T0/B0/x`);
  const webhook = { url: example.url, events: ["inquiry.received"], secret } as const;
  await store.webhooks.add(webhook, { operator: "test", at: Date.now() });
  const { receipt } = await rest.send(service, "marketplace.inquiry", json({ ...buyer, name: "Ann & <!channel>" }));
  const inquiryId = String(receipt?.["inquiryId"]);
  const [line] = await slack.got(1);
  expect(line?.path).toBe("/services/T0/B0/x");
  expect(JSON.parse(line?.body ?? "")).toEqual({
    text: `New inquiry from Ann &amp; &lt;!channel&gt;: <${PUBLIC_URL}/console/inquiries/${inquiryId}|${inquiryId}>`,
  });
});

const body = JSON.stringify({ type: "subscriber.confirmed", timestamp: "", data: { email: "a@example.org" } });
const send = (url: string, more: { id?: string; signedWith?: string; at?: number; sent?: string } = {}) => {
  const { id = "msg_1-a", signedWith = secret, at = Date.now(), sent = body } = more;
  return fetch(url, { method: "POST", body: sent, headers: signedHeaders(id, body, [signedWith], at) });
};

test("what is not signed with its secret, was changed or is old is refused, and tells Slack nothing", async () => {
  await using slack = await openReceiver();
  await using example = await openExample([secret], slack.url);
  expect((await send(example.url, { signedWith: "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" })).status).toBe(401);
  expect((await send(example.url, { sent: body.replace("a@", "b@") })).status).toBe(401);
  expect((await send(example.url, { at: Date.now() - 301_000 })).status).toBe(401);
  expect((await fetch(example.url, { method: "POST", body })).status).toBe(401);
  expect((await fetch(example.url)).status).toBe(405);
  expect(slack.connections).toBe(0);
});

test("takes the old and the new secret, and a delivery once; one that Slack refused comes again", async () => {
  await using slack = await openReceiver();
  const old = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
  await using example = await openExample([old, secret], slack.url);
  slack.answer({ status: 500 });
  expect((await send(example.url)).status).toBe(502);
  expect((await send(example.url)).status).toBe(204);
  expect((await send(example.url, { signedWith: old })).status).toBe(204);
  expect(slack.received).toHaveLength(2);
  expect((await send(example.url, { id: "msg_2-a" })).status).toBe(204);
  expect(slack.received.map((one) => (JSON.parse(one.body) as { text: string }).text)).toEqual(
    Array(3).fill("A new subscriber"),
  );
});
