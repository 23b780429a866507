import Fastify from "fastify";
import { afterEach, expect, test, vi } from "vitest";
import { createLog } from "../observe/log.ts";
import { createMetrics } from "../observe/metrics.ts";
import { healthRoutes } from "./health.ts";

afterEach(() => void vi.restoreAllMocks());

test("readiness is checked once for all who ask together, and once a second at most", async () => {
  const time = vi.spyOn(performance, "now").mockReturnValue(5_000);
  const gate = Promise.withResolvers<void>();
  let checks = 0;
  let ready = true;
  const store = async () => {
    checks += 1;
    await gate.promise;
    return { ready };
  };
  await using app = Fastify();
  const log = createLog("silent");
  healthRoutes(app, { log, metrics: createMetrics(() => 0), draining: { started: false }, checks: { store } });
  const ask = async () => (await app.inject("/readyz")).statusCode;
  const together = Promise.all([ask(), ask(), ask()]);
  await vi.waitUntil(() => checks > 0);
  gate.resolve();
  expect([await together, checks]).toEqual([[200, 200, 200], 1]);

  ready = false;
  time.mockReturnValue(5_999);
  expect([await ask(), checks]).toEqual([200, 1]);
  time.mockReturnValue(6_000);
  expect([await ask(), checks]).toEqual([503, 2]);
});
