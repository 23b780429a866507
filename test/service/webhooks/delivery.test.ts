// The whole service tells a receiver what comes in, which reads it with the client's `parseWebhook`: that checks the
// signature with the package `standardwebhooks` and the body with the schema of the OpenAPI document.
import { parseWebhook } from "../../../client/src/webhooks.ts";
import { afterEach, describe, expect, test } from "vitest";
import type { WebhookEvent } from "../../../shared/src/console.ts";
import { systemClock } from "../../../server/src/clock.ts";
import { openStore } from "../../../server/src/storage/open-store.ts";
import { addWebhook, rotateSecret } from "../../../server/src/webhooks/target.ts";
import { accept, subscription } from "../../contract/records.ts";
import { submitAll } from "../../support/console/operator.ts";
import { startService } from "../../support/service.ts";
import { anew, shared } from "../../support/shared.ts";
import { openReceiver, type Received } from "../../support/webhooks/receiver.ts";

const env = { WEBHOOK_TARGETS: "loopback", PUBLIC_URL: "https://submissions.example.org" };
const eva = { operator: "eva@example.org", at: Date.now() };

const receiver = anew(openReceiver);
const service = shared(() => startService({ env }));
const store = shared(() => openStore(service().storage));

afterEach(async () => {
  for (const { id } of await store().webhooks.list()) await store().webhooks.change(id, { removed: true }, eva);
});

async function add(events: readonly WebhookEvent[] = [], { webhooks } = store()) {
  const added = await addWebhook(webhooks, { url: `${receiver().url}/hook`, events }, eva);
  if (added === "too-many") throw new Error(added);
  return added;
}

interface Document {
  readonly webhooks: Readonly<Record<string, { readonly post: { readonly operationId: string } }>>;
  readonly components: {
    readonly schemas: Readonly<
      Record<string, { readonly properties: { readonly data: { readonly properties: object } } }>
    >;
  };
}

/** @throws WebhookVerificationError */
function verify(secret: string | readonly string[], { body, headers }: Received) {
  const payload = parseWebhook(body, headers, secret);
  if (payload === undefined) throw new Error(`Not documented: ${body}`);
  return payload;
}

/** The deliveries once none of them waits for its first try any more. */
async function settled(count: number, { webhooks } = store()) {
  const ended = async () => {
    const { rows } = await webhooks.listDeliveries(null, { limit: 100 });
    return rows.filter(({ attempts }) => attempts > 0);
  };
  await expect.poll(async () => (await ended()).length).toBe(count);
  return ended();
}

test("tells of an inquiry, an application and a subscriber, signed, with their fields and no resume", async () => {
  const { secret } = await add();
  const { inquiry, application } = await submitAll(service());
  const record = subscription({ receivedAt: Date.now() });
  await accept(store(), record);
  await store().followLink("confirm", { tokenHash: record.confirm.hash, at: Date.now() });
  const told = (await receiver().got(3)).map((one) => verify(secret, one));
  const of = (type: string) => told.find((one) => one.type === type);
  expect(of("inquiry.received")?.data).toMatchObject({
    inquiryId: inquiry,
    status: "new",
    name: "Ann Buyer",
    company: "Kalomi",
    email: "ann@example.org",
    selectedPackageIds: ["de-AT"],
    language: "en",
    consoleUrl: `https://submissions.example.org/console/inquiries/${inquiry}`,
  });
  expect(of("application.received")?.data).toMatchObject({
    applicationId: application,
    fullName: "Ann Buyer",
    resume: { filename: "Ann Buyer CV.pdf", kind: "pdf" },
    consoleUrl: `https://submissions.example.org/console/applications/${application}`,
  });
  expect(JSON.stringify(told)).not.toContain("%PDF");
  const { webhooks, components } = (await (await fetch(`${service().url}/openapi.json`)).json()) as Document;
  for (const { type, data } of told) {
    const schema = components.schemas[webhooks[type]?.post.operationId ?? ""];
    expect(Object.keys(data).toSorted(), type).toEqual(
      Object.keys(schema?.properties.data.properties ?? {}).toSorted(),
    );
  }
  expect(of("subscriber.confirmed")?.data).toMatchObject({ email: record.email, status: "active", language: "de" });
  for (const { timestamp } of told) expect(Date.parse(timestamp)).toBeLessThanOrEqual(Date.now());
  expect(receiver().received.map(({ method, path }) => `${method} ${path}`)).toEqual(Array(3).fill("POST /hook"));
  for (const row of await settled(3)) expect(row).toMatchObject({ status: "delivered", lastAnswer: "HTTP 204" });
});

test("a replay after a new secret has the id of the first time, and verifies with the old secret and the new one", async () => {
  const { id, secret } = await add(["inquiry.received"]);
  await submitAll(service());
  await receiver().got(1);
  const [row] = await settled(1);
  const rotated = await rotateSecret(store().webhooks, id, { ...eva, at: Date.now() });
  await store().webhooks.replay({ delivery: row?.id ?? "" }, { ...eva, at: systemClock.now() });
  const [first, second] = (await receiver().got(2)) as [Received, Received];
  expect([first, second].map(({ headers }) => headers["webhook-id"])).toEqual([row?.id, row?.id]);
  expect(second.headers["webhook-signature"]).toMatch(/^v1,\S+ v1,\S+$/);
  for (const each of [secret, rotated ?? ""]) expect(verify(each, second)).toEqual(verify(secret, first));
});

describe("after a stop", () => {
  const first = anew(() => startService({ env }));
  const itsStore = anew(() => openStore(first().storage));

  test("the next process makes the call that broke off again, under the same id", async () => {
    receiver().answer(null);
    await add(["inquiry.received"], itsStore());
    await submitAll(first());
    const [broken] = await receiver().got(1);
    await first().stop();
    await using _next = await startService({ env: { ...env, ...first().sameData } });
    const [, second] = await receiver().got(2);
    expect(second?.headers["webhook-id"]).toBe(broken?.headers["webhook-id"]);
    expect(await settled(1, itsStore())).toMatchObject([{ status: "delivered", attempts: 1 }]);
  });

  test("where only the internet is allowed, this machine is not called", async () => {
    await add(["inquiry.received"], itsStore());
    await first().stop();
    await using strict = await startService({ env: first().sameData });
    await submitAll(strict);
    expect(await settled(1, itsStore())).toMatchObject([{ status: "queued", lastAnswer: "address-refused" }]);
    expect(receiver().connections).toBe(0);
  });
});
