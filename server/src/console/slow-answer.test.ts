// Over a real connection, whose time-out is part of what is promised.
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import Fastify from "fastify";
import { expect, test } from "vitest";
import { sendSlowAnswer } from "./slow-answer.ts";

async function open(answer: Promise<{ status: number; body: object }>, timeoutMs: number) {
  const app = Fastify();
  app.server.timeout = timeoutMs;
  app.get("/", (request, reply) => sendSlowAnswer(request, reply, answer));
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  return { url, [Symbol.asyncDispose]: () => app.close() };
}

test("an answer that is there soon has its status and no white space", async () => {
  await using opened = await open(Promise.resolve({ status: 503, body: { error: 1 } }), 60_000);
  const response = await fetch(opened.url);
  expect([response.status, await response.text()]).toEqual([503, '{"error":1}']);
});

test("an answer that takes long keeps its connection alive by white space, and is JSON in the end", async () => {
  const answer = Promise.withResolvers<{ status: number; body: object }>();
  await using opened = await open(answer.promise, 500);
  const [response] = (await once(get(opened.url), "response")) as [IncomingMessage];
  expect([response.statusCode, response.headers["content-type"]]).toEqual([200, "application/json; charset=utf-8"]);
  let text = "";
  for await (const piece of response) {
    text += String(piece);
    // For three times as long as a silent connection lasts.
    if (text === "     ") answer.resolve({ status: 503, body: { result: 1 } });
  }
  expect(text).toBe('     {"result":1}');
});
