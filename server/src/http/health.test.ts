import Fastify from "fastify";
import { afterEach, expect, test, vi } from "vitest";
import { faults } from "@submissions/shared/faults";
import { Fault } from "../fault.ts";
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
  const addresses = new ClientAddresses(0);
  app.setErrorHandler((error, _request, reply) =>
    reply
      .code(error instanceof Fault ? faults[error.fault].status : 500)
      .send((error as { fault?: string }).fault ?? ""),
  );
  healthRoutes(app, {
    log,
    metrics: createMetrics({}, () => performance.now()),
    draining: { started: false },
    store: { checkReadiness: async () => ({ ready: true }), identity: "identity" },
    vault: { checkReadiness: async () => ({ ready: true }) },
    metricsToken: null,
    publicUrl: () => "https://submissions.example.org/below",
    judgePassword: countWrongPasswords(addresses, 10),
    addresses,
    ...options,
  });
  return app;
}

test("readiness is checked once for all who ask together, and once a second at most", async () => {
  const time = vi.spyOn(performance, "now").mockReturnValue(5_000);
  const gate = Promise.withResolvers<void>();
  let checks = 0;
  let ready = true;
  const checkReadiness = async () => {
    checks += 1;
    await gate.promise;
    return { ready };
  };
  await using app = await open({ store: { checkReadiness, identity: "identity" } });
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

test("the vault is told of, and takes no process out: neither one that is away nor one that is silent", async () => {
  const lines: string[] = [];
  const log = createLog("info", { write: (line: string) => void lines.push(line) });
  const time = vi.spyOn(performance, "now").mockReturnValue(5_000);
  const state = { store: true, vault: true, isSilent: false };
  const vault = async () => (state.isSilent ? new Promise<never>(() => {}) : { ready: state.vault, reason: "away" });
  const store = { checkReadiness: async () => ({ ready: state.store }), identity: "identity" };
  await using app = await open({ log, store, vault: { checkReadiness: vault } });
  const ask = async (change: Partial<typeof state> = {}) => {
    Object.assign(state, change);
    time.mockReturnValue(performance.now() + 1_000);
    const answer = await app.inject("/readyz");
    const metrics = await app.inject("/metrics");
    return [answer.statusCode, answer.json<unknown>(), /^vault_ready (\d)/m.exec(metrics.body)?.[1]];
  };
  expect(await ask()).toEqual([200, { status: "ready", vault: "ready" }, "1"]);
  expect(await ask({ vault: false })).toEqual([200, { status: "ready", vault: "unavailable" }, "0"]);
  expect(await ask()).toEqual([200, { status: "ready", vault: "unavailable" }, "0"]);
  const failed = { status: "unavailable", failed: ["store"], vault: "unavailable" };
  expect(await ask({ store: false })).toEqual([503, failed, "0"]);
  expect(await ask({ store: true, vault: true })).toEqual([200, { status: "ready", vault: "ready" }, "1"]);
  expect(await ask({ isSilent: true })).toEqual([200, { status: "ready", vault: "unavailable" }, "0"]);
  // A line for each change, not for each probe.
  const told = lines.map((line) => JSON.parse(line) as Record<string, string>);
  expect(told.map(({ result, msg }) => `${result} ${msg}`)).toEqual([
    "vault not ready",
    "store not ready",
    "store ready again",
    "vault ready again",
  ]);
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

test.each([
  ["127.0.0.1:3000", 200],
  ["192.0.2.7", 200],
  ["[2001:db8::1]:9090", 200],
  ["localhost:3000", 200],
  ["submissions", 200],
  ["Submissions.Example.org:443", 200],
  ["evil.example", 421],
  ["127.0.0.1.evil.example", 421],
  ["localhost.evil.example:3000", 421],
  ["example.org", 421],
  ["sub.submissions.example.org", 421],
  ["submissions.example.org.", 421],
])("without a token the metrics are read by the name %j: %i", async (host, status) => {
  await using app = await open();
  expect((await app.inject({ url: "/metrics", headers: { host } })).statusCode).toBe(status);
  // Probes of balancers may use any name.
  for (const url of ["/healthz", "/readyz"])
    expect((await app.inject({ url, headers: { host } })).statusCode).toBe(200);
});

test("with a token the metrics are read by any name", async () => {
  await using app = await open({ metricsToken: "t".repeat(24) });
  const headers = { host: "evil.example", authorization: `Bearer ${"t".repeat(24)}` };
  expect((await app.inject({ url: "/metrics", headers })).statusCode).toBe(200);
});
