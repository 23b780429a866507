import Fastify from "fastify";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ClientAddresses } from "./client-address.ts";
import { foreignSites } from "./origin.ts";
import { Guard } from "./rate-limit.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

function guarded(max: number) {
  const app = Fastify();
  const guard = new Guard({
    name: "calls",
    limit: { max, windowSeconds: 60 },
    addresses: new ClientAddresses({ kind: "none" }),
    isForeign: foreignSites({ publicUrl: () => "https://here.example", corsOrigins: [] }),
    shared: null,
  });
  const onRequest = guard.hook({
    calls: () => 1,
    refuseAll: (_request, reply, { fault }) => void reply.code(fault === "rateLimited" ? 429 : 403).send(""),
  });
  app.post("/", { onRequest }, async () => "");
  return app;
}

test("a window ends when it said it would, and refusals do not prolong it", async () => {
  const app = guarded(2);
  const ask = async () => {
    const { statusCode, headers } = await app.inject({ method: "POST", url: "/" });
    return [statusCode, headers["ratelimit-remaining"], headers["ratelimit-reset"]];
  };
  expect(await ask()).toEqual([200, "1", "60"]);
  vi.advanceTimersByTime(30_500);
  expect(await ask()).toEqual([200, "0", "30"]);
  expect(await ask()).toEqual([429, "0", "30"]);
  vi.advanceTimersByTime(29_400);
  expect(await ask()).toEqual([429, "0", "1"]);
  vi.advanceTimersByTime(101);
  expect(await ask()).toEqual([200, "1", "60"]);
});

test("a page of another site is refused, and does not use up the limit of its visitor", async () => {
  const app = guarded(1);
  const ask = async (headers: Record<string, string>) =>
    (await app.inject({ method: "POST", url: "/", headers })).statusCode;
  expect(await ask({ "sec-fetch-site": "cross-site" })).toBe(403);
  expect(await ask({ origin: "https://elsewhere.example" })).toBe(403);
  expect(await ask({})).toBe(200);
  expect(await ask({})).toBe(429);
});
