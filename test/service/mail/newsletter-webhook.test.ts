// Postmark's webhook: who may call it, what each event does, and that repetition and disorder do no harm.
import { describe, expect, test } from "vitest";
import { buyer, json, rest } from "../../support/doors.ts";
import { startService } from "../../support/service.ts";
import { shared } from "../../support/shared.ts";
import { open } from "../../support/newsletter/reader.ts";

const credentials = "hook:correct:horse:battery:staple";
const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;

const service = shared(() => startService({ env: { POSTMARK_WEBHOOK_AUTH: credentials } }));

async function tell(event: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${service().url}/webhooks/postmark`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: basic(credentials), ...headers },
    body: typeof event === "string" ? event : JSON.stringify(event),
  });
}

async function told(event: unknown): Promise<unknown> {
  const response = await tell(event);
  expect(response.status).toBe(200);
  return ((await response.json()) as { result: unknown }).result;
}

// As Postmark sends them.
const bounce = (email: string, more: object = {}) => ({
  RecordType: "Bounce",
  ID: 42,
  Type: "HardBounce",
  TypeCode: 1,
  MessageID: "00000000-0000-0000-0000-000000000000",
  Email: email,
  BouncedAt: "2026-11-01T12:00:00.9070259Z",
  Inactive: true,
  CanActivate: true,
  Description: "The server was unable to deliver your message.",
  Metadata: {},
  MessageStream: "outbound",
  ...more,
});

const complaint = (email: string, more: object = {}) => ({
  ...bounce(email, { Type: "SpamComplaint", TypeCode: 512, CanActivate: false }),
  RecordType: "SpamComplaint",
  ...more,
});

let people = 0;
const someone = () => `someone${(people += 1)}@example.org`;

/** Whether an inquiry from the address brings its receipt, which the answer waits for. */
async function getsReceipts(email: string): Promise<boolean> {
  const answer = await rest.send(service(), "marketplace.inquiry", json({ ...buyer, email }));
  expect(answer.status).toBe(200);
  return answer.receipt?.["confirmationEmailSent"] === true;
}

describe("who may call", () => {
  test("no one where no credentials are set: there is nothing at this address", async () => {
    await using without = await startService();
    const init = { method: "POST", headers: { authorization: basic(credentials) } };
    const answer = await open(`${without.url}/webhooks/postmark`, init);
    expect(answer.status).toBe(404);
    expect(JSON.parse(answer.text)).toMatchObject({ code: "NOT_FOUND" });
  });

  test("no one without the credentials; nothing is changed, and not 403, at which Postmark gives up", async () => {
    const email = someone();
    const wrong = [`${credentials}s`, `hooks:${credentials}`, "hook:correct", "hook"].map(basic);
    for (const authorization of ["", "Basic !!!", "Basic ", basic(credentials).replace("Basic", "Bearer"), ...wrong]) {
      const response = await tell(bounce(email), { authorization });
      expect(response.status, authorization).toBe(401);
      expect(response.headers.get("www-authenticate")).toMatch(/^Basic realm=/);
      const requestId = response.headers.get("x-request-id");
      expect(await response.json()).toEqual({ message: expect.any(String), code: "UNAUTHORIZED", requestId });
    }
    expect(await getsReceipts(email)).toBe(true);
  });

  test("no one for a minute after ten wrong passwords, with the right one too", async () => {
    const token = "m".repeat(16);
    await using own = await startService({ env: { POSTMARK_WEBHOOK_AUTH: credentials, METRICS_TOKEN: token } });
    const send = (text: string) =>
      fetch(`${own.url}/webhooks/postmark`, {
        method: "POST",
        ...json(bounce(someone()), { authorization: basic(text) }),
      });
    for (let tries = 0; tries < 10; tries += 1) expect((await send(`hook:${tries}`)).status).toBe(401);
    const refused = await send(credentials);
    expect([refused.status, await refused.json()]).toMatchObject([429, { code: "TOO_MANY_REQUESTS" }]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    // Who reads the metrics from there is not locked out.
    expect((await open(`${own.url}/metrics`, { headers: { authorization: `Bearer ${token}` } })).status).toBe(200);
  });

  test("no large body is read without credentials", async () => {
    const response = await tell(complaint(someone(), { Content: "x".repeat(1_000_000) }), { authorization: "" });
    expect(response.status).toBe(401);
  });

  test("takes a complaint of 1 MB with the credentials, by POST only: its address gets no receipt any more", async () => {
    const email = someone();
    expect(await told(complaint(email, { Content: "x".repeat(1_000_000) }))).toBe("noted");
    expect(await getsReceipts(email)).toBe(false);
    const response = await fetch(`${service().url}/webhooks/postmark`);
    expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
  });
});

// server/src/mail/postmark-events.test.ts says of each kind of event what is read from it.
test("what is no event is refused", async () => {
  for (const [body, status] of [
    ["{", 400],
    ["", 400],
    [[], 400],
    ["null", 400],
    [bounce("nobody"), 400],
    [{ RecordType: "Open", Padding: "x".repeat(1_048_576) }, 413],
  ] as const)
    expect((await tell(body)).status).toBe(status);
  expect((await tell(bounce(someone()), { "content-type": "text/plain" })).status).toBe(415);
});

describe("what becomes of a subscriber", () => {
  test("the same answer to subscribing, whatever the address has come to", async () => {
    const [fresh, suppressed] = [someone(), someone()];
    await told(complaint(suppressed));
    const answers = [];
    for (const email of [fresh, suppressed]) {
      answers.push((await rest.send(service(), "newsletter.subscribe", json({ email }))).receipt);
    }
    expect(answers[1]).toEqual(answers[0]);
  });
});

test("what is told is counted without a word of whom it concerns", async () => {
  const email = someone();
  await told(bounce(email));
  const { text } = await open(`${service().url}/metrics`);
  expect(text).toMatch(/^mail_news_total\{reason="bounced",result="noted"\} \d+$/m);
  expect(text).not.toContain(email);
});
