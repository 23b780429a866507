import Fastify from "fastify";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LoopLag, Overload, overloadLimits, type OverloadLimits } from "./overload.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance", "setInterval", "clearInterval"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A server behind the guard, and what it answers to. */
function guarded(limits: Partial<OverloadLimits>) {
  const app = Fastify();
  const metrics = { uploadsInFlight: { inc: vi.fn<() => void>(), dec: vi.fn<() => void>() } };
  app.decorateRequest("failure", null);
  app.addContentTypeParser("*", (_request, _body, done) => done(null));
  new Overload(metrics as never, { ...overloadLimits, ...limits }).guard(app);
  for (const url of ["/", "/healthz", "/readyz", "/metrics"])
    app.route({ method: ["GET", "POST"], url, handler: async () => "" });
  const ask = async (url: string, type?: string) => {
    const body = type === undefined ? {} : { headers: { "content-type": type }, payload: "{}" };
    return (await app.inject({ method: type === undefined ? "GET" : "POST", url, ...body })).statusCode;
  };
  return { app, ask, metrics };
}

test.each([
  ["multipart/form-data; boundary=b", 503],
  ["Multipart/Form-Data", 503],
  ["x-multipart/form-data", 200],
  ["application/json", 200],
  [undefined, 200],
])("of a body of type %s an upload is made or not", async (type, status) => {
  const { app, ask } = guarded({ uploadsInFlightMax: 0 });
  expect(await ask("/", type)).toBe(status);
  await app.close();
});

test("uploads are counted while they last, other requests are not", async () => {
  const { app, ask, metrics } = guarded({ uploadsInFlightMax: 1 });
  for (let upload = 0; upload < 3; upload += 1) expect(await ask("/", "multipart/form-data; boundary=b")).toBe(200);
  expect(await ask("/", "application/json")).toBe(200);
  const { inc, dec } = metrics.uploadsInFlight;
  expect([inc.mock.calls.length, dec.mock.calls.length]).toEqual([3, 3]);
  await app.close();
});

test("a loop that is late three times in a row is too busy for all but those who watch it, until it is in time", async () => {
  const { app, ask } = guarded({ loopLagMsMax: -1 });
  expect(await ask("/")).toBe(200);
  vi.advanceTimersByTime(1_000);
  expect(await ask("/")).toBe(200);
  vi.advanceTimersByTime(500);
  expect(await ask("/")).toBe(503);
  for (const url of ["/healthz", "/readyz", "/metrics"]) expect(await ask(url)).toBe(200);
  await app.close();
  expect(vi.getTimerCount()).toBe(0);
});

test("a check that comes just within the limit is in time", () => {
  const lag = new LoopLag(1_000);
  for (const now of [0, 1_500, 3_000, 4_500, 6_000]) lag.check(now);
  expect(lag.isTooLong).toBe(false);
  for (const now of [7_501, 9_002]) lag.check(now);
  expect(lag.isTooLong).toBe(false);
  lag.check(10_503);
  expect(lag.isTooLong).toBe(true);
  lag.check(11_003);
  expect(lag.isTooLong).toBe(false);
});
