import Fastify from "fastify";
import { afterEach, expect, test, vi } from "vitest";
import { createLog } from "../observe/log.ts";
import { createMetrics } from "../observe/metrics.ts";
import { ClientAddresses } from "./gate/client-address.ts";
import { countWrongPasswords } from "./gate/guard.ts";
import { healthRoutes } from "./health.ts";

afterEach(() => void vi.restoreAllMocks());

/** The routes, with what they ask standing still. */
async function open(options: Partial<Parameters<typeof healthRoutes>[1]> = {}) {
  const app = Fastify();
  const log = createLog("silent");
  const addresses = new ClientAddresses({ kind: "none" });
  app.setErrorHandler((error, _request, reply) =>
    reply.code("fault" in (error as object) ? 401 : 500).send((error as { fault?: string }).fault ?? ""),
  );
  healthRoutes(app, {
    log,
    metrics: createMetrics({}, () => 0),
    draining: { started: false },
    checks: {},
    metricsToken: null,
    judgePassword: countWrongPasswords(addresses, 10),
    addresses,
    identity: "identity",
    ...options,
  });
  return app;
}

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
  await using app = await open({ checks: { store } });
  const ask = async () => (await app.inject("/readyz")).statusCode;
  const together = Promise.all([ask(), ask(), ask()]);
  await expect.poll(() => checks).toBe(1);
  gate.resolve();
  expect([await together, checks]).toEqual([[200, 200, 200], 1]);

  ready = false;
  time.mockReturnValue(5_999);
  expect([await ask(), checks]).toEqual([200, 1]);
  time.mockReturnValue(6_000);
  expect([await ask(), checks]).toEqual([503, 2]);
});

test.each([
  [undefined, 401],
  ["Bearer wrong", 401],
  ["Basic secret", 401],
  ["Bearer secret", 200],
  ["bearer  secret ", 200],
])("metrics with a token answer to %s with %i", async (authorization, status) => {
  await using app = await open({ metricsToken: "secret" });
  const headers = authorization === undefined ? {} : { authorization };
  const answer = await app.inject({ url: "/metrics", headers });
  expect(answer.statusCode).toBe(status);
  expect(answer.headers["www-authenticate"]).toBe(status === 401 ? 'Bearer realm="metrics"' : undefined);
});

test("ten wrong tokens a minute are answered, then even the right one is refused; without any none is counted", async () => {
  await using app = await open({ metricsToken: "secret" });
  const ask = async (authorization?: string) => {
    const headers = authorization === undefined ? {} : { authorization };
    return (await app.inject({ url: "/metrics", headers })).body;
  };
  for (let tries = 0; tries < 20; tries += 1) expect(await ask()).toBe("unauthorised");
  for (let tries = 0; tries < 10; tries += 1) expect(await ask("Bearer wrong")).toBe("unauthorised");
  expect(await ask("Bearer wrong")).toBe("tooManyAttempts");
  expect(await ask("Bearer secret")).toBe("tooManyAttempts");
});
