import Fastify from "fastify";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Guard } from "./rate-limit.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

test("a window ends when it said it would, and refusals do not prolong it", async () => {
  const app = Fastify();
  const guard = new Guard({ max: 2, windowSeconds: 60 }, () => "192.0.2.1");
  const onRequest = guard.hook({ calls: () => 1, refuseAll: (_request, reply) => void reply.code(429).send("") });
  app.get("/", { onRequest }, async () => "");
  const ask = async () => {
    const { statusCode, headers } = await app.inject("/");
    return [statusCode, headers["ratelimit-remaining"], headers["ratelimit-reset"]];
  };
  expect(await ask()).toEqual([200, 1, 60].map((value, index) => (index === 0 ? value : String(value))));
  vi.advanceTimersByTime(30_500);
  expect(await ask()).toEqual([200, "0", "30"]);
  expect(await ask()).toEqual([429, "0", "30"]);
  vi.advanceTimersByTime(29_400);
  expect(await ask()).toEqual([429, "0", "1"]);
  vi.advanceTimersByTime(101);
  expect(await ask()).toEqual([200, "1", "60"]);
});
