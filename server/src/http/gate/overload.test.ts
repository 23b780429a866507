import Fastify from "fastify";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type HttpLimits, httpLimits } from "../limits.ts";
import { ClientAddresses } from "./client-address.ts";
import { createLog } from "../../observe/log.ts";
import { createMetrics } from "../../observe/metrics.ts";
import { refuse } from "../fault-reply.ts";
import { beginExchanges } from "../exchange.ts";
import { Observer } from "../observed-requests.ts";
import { shedLoad, watchLag } from "./overload.ts";
import { Traffic } from "./traffic.ts";

const observer = new Observer({
  log: createLog("silent"),
  metrics: createMetrics(),
  traces: null,
  procedures: new Set(),
});

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance", "setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());

function guarded(limits: Partial<HttpLimits>) {
  const all = { ...httpLimits, ...limits };
  const app = Fastify();
  beginExchanges(app, observer);
  app.setErrorHandler((error, request, reply) => refuse(request, reply, error));
  app.addContentTypeParser("*", (_request, _body, done) => done(null));
  shedLoad(app, new Traffic(all, new ClientAddresses(0), () => {}), all.loopLagMsMax);
  for (const url of ["/", "/healthz", "/readyz", "/metrics"])
    app.route({ method: ["GET", "POST"], url, handler: async () => "" });
  const ask = async (url: string, type?: string) => {
    const body = type === undefined ? {} : { headers: { "content-type": type }, payload: "{}" };
    return (await app.inject({ method: type === undefined ? "GET" : "POST", url, ...body })).statusCode;
  };
  return { app, ask };
}

test.each([
  ["multipart/form-data; boundary=b", 503],
  ["Multipart/Form-Data", 503],
  ["x-multipart/form-data", 200],
  ["application/json", 200],
  [undefined, 200],
])("a body of type %s needs the slot of an upload or not", async (type, status) => {
  const { app, ask } = guarded({ uploadsMax: 0 });
  expect(await ask("/", type)).toBe(status);
  await app.close();
});

test("a loop that is late three times in a row is too busy for all but probes, until it is in time", async () => {
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

test("neither a single stall nor checks that come just within the limit count as overload", () => {
  const isLate = watchLag(1_000);
  let now = 0;
  const check = (late: number) => {
    now += 500 + late;
    return isLate(now);
  };
  const inTime = [0, 5_000, 0, 1_000, 1_000, 1_000, 1_001, 1_001];
  expect(inTime.map(check)).not.toContain(true);
  expect(check(1_001)).toBe(true);
  expect(check(5)).toBe(false);
});
