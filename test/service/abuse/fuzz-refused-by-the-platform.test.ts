// What the HTTP parser or the router would refuse by themselves gets the one error body, and the usual headers.
import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { buyer } from "../../support/doors.ts";
import { startService } from "../../support/service.ts";
import { shared } from "../../support/shared.ts";
import { readAnswers } from "../../support/fuzz/wire.ts";

const service = shared(() => startService({ env: { POSTMARK_WEBHOOK_AUTH: "user:a password of 24 letters" } }));

/** Returns the one answer. A body shorter than its length ends the connection. */
async function ask(lines: readonly string[], body = "", length = Buffer.byteLength(body)) {
  const socket = connect(Number(new URL(service().url).port), "127.0.0.1");
  const received: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => received.push(chunk));
  socket.write([...lines, `Content-Length: ${length}`, "Connection: close", "", body].join("\r\n"));
  if (Buffer.byteLength(body) < length) socket.end();
  await once(socket, "close");
  const { answers } = readAnswers(Buffer.concat(received), "POST");
  expect(answers).toHaveLength(1);
  const { status, headers, body: text } = answers[0]!;
  return { status, headers, body: JSON.parse(text) as Record<string, unknown> };
}

const longBatch = `POST /trpc/${Array(60).fill("newsletter.subscribe").join()}?batch=1 HTTP/1.1`;
const inquiries = async () => (await service().stored()).inquiries.map(({ reference }) => reference);
const inquiry = ["POST /api/marketplace/inquiry HTTP/1.1", "Content-Type: application/json"];

test.each([
  ["an address with a stray percent sign", ["GET /%zz HTTP/1.1", "Host: x"], 404, "NOT_FOUND"],
  ["an address that is too long", [`POST /trpc/${"a".repeat(600)} HTTP/1.1`, "Host: x"], 404, "NOT_FOUND"],
  ["a request without a Host", inquiry, 400, "BAD_REQUEST"],
  ["a Host that is none", [...inquiry, "Host: a b/c"], 400, "BAD_REQUEST"],
  ["a second content type", [...inquiry, "Host: x", "Content-Type: text/plain"], 415, "UNSUPPORTED_MEDIA_TYPE"],
  ["a target that is no address", ["GET * HTTP/1.1", "Host: x"], 404, "NOT_FOUND"],
  ["a method, in escapes", ["PUT /api/marketplace/%69nquiry HTTP/1.1", "Host: x"], 405, "METHOD_NOT_SUPPORTED"],
  ["a method of the console", ["PUT /console/trpc/session.get HTTP/1.1", "Host: x"], 405, "METHOD_NOT_SUPPORTED"],
  ["a method of WebDAV", ["PROPFIND /console/trpc/session.me HTTP/1.1", "Host: x"], 405, "METHOD_NOT_SUPPORTED"],
  ["an unknown method", ["BREW /trpc/newsletter.subscribe?x=1 HTTP/1.1", "Host: x"], 405, "METHOD_NOT_SUPPORTED"],
  ["an unknown method, in lower case", ["post /webhooks/%70ostmark HTTP/1.1", "Host: x"], 405, "METHOD_NOT_SUPPORTED"],
  ["an unknown method of an unknown address", ["POSTS /%zz HTTP/1.1", "Host: x"], 404, "NOT_FOUND"],
  ["CONNECT", ["CONNECT /api/marketplace/inquiry HTTP/1.1", "Host: x"], 405, "METHOD_NOT_SUPPORTED"],
  ["CONNECT to another host", ["CONNECT example.org:443 HTTP/1.1", "Host: x"], 404, "NOT_FOUND"],
  ["a batch with a long address", [longBatch, "Host: x", "Content-Type: application/json"], 400, "BAD_REQUEST"],
] as const)("%s", async (_, lines, status, code) => {
  const before = await inquiries();
  const answer = await ask(lines, JSON.stringify(buyer));
  expect(answer.status).toBe(status);
  const requestId = answer.headers.get("x-request-id");
  expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
  const { data: told = answer.body } = (answer.body["error"] ?? {}) as { data?: object };
  expect(told).toMatchObject({ code, requestId });
  expect(answer.headers.get("allow")).toBe(status === 405 ? "POST" : undefined);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
  expect(await inquiries()).toEqual(before);
});

test("an unknown expectation is ignored", async () => {
  const { status, body } = await ask([...inquiry, "Host: x", "Expect: 200-maybe"], JSON.stringify(buyer));
  expect(status).toBe(200);
  expect((await inquiries()).at(-1)).toBe(body["inquiryId"]);
});

test.each([
  ["a method that it does not take", "PUT", "application/json", 405],
  ["a content type that it does not take", "POST", "text/plain", 415],
  ["a body that is no JSON", "POST", "application/json", 400],
])("a typed call refused for %s names its procedure", async (_, method, type, status) => {
  const lines = [`${method} /trpc/marketplace.inquiry?x=1 HTTP/1.1`, "Host: x", `Content-Type: ${type}`];
  const answer = await ask(lines, "{");
  expect(answer.status).toBe(status);
  expect(answer.body).toMatchObject({ error: { data: { path: "marketplace.inquiry", httpStatus: status } } });
});

test("what is wrong with a provider's event is said in our words", async () => {
  const event = { RecordType: "SubscriptionChange", Recipient: 1, ChangedAt: null, SuppressSending: "x" };
  const lines = ["POST /webhooks/postmark HTTP/1.1", "Host: x", "Content-Type: application/json"];
  const authorization = `Authorization: Basic ${btoa("user:a password of 24 letters")}`;
  const { status, body } = await ask([...lines, authorization], JSON.stringify(event));
  expect(status).toBe(400);
  const message = "This field must be one text.";
  const flag = { path: ["SuppressSending"], message: "This field must be true or false." };
  expect(body["issues"]).toEqual([{ path: ["Recipient"], message }, { path: ["ChangedAt"], message }, flag]);
});

test.each([
  ["on REST", "/api/newsletter/subscribe", { code: "PARSE_ERROR" }],
  ["in the envelope of typed RPC", "/trpc/newsletter.subscribe", { error: { data: { code: "PARSE_ERROR" } } }],
])("a body that ends too early is answered %s", async (_, path, told) => {
  const lines = [`POST ${path} HTTP/1.1`, "Host: x", "Content-Type: application/json"];
  expect(await ask(lines, "{", 20)).toMatchObject({ status: 400, body: told });
});
