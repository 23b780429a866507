import { connect } from "node:net";
import { text } from "node:stream/consumers";
import Fastify from "fastify";
import { afterEach, expect, test, vi } from "vitest";
import { Fault } from "../fault.ts";
import { createLog } from "../observe/log.ts";
import { createMetrics } from "../observe/metrics.ts";
import { StorageUnavailable } from "../storage/store.ts";
import { beginExchanges } from "./exchange.ts";
import { refuse } from "./fault-reply.ts";
import { Observer } from "./observed-requests.ts";

afterEach(() => void vi.restoreAllMocks());

test("an outage is logged with 100 lines of each fault in a minute, and counted to the last refusal", async () => {
  const time = vi.spyOn(performance, "now").mockReturnValue(5_000);
  const lines: { fault?: string; level: string; msg: string; status?: number }[] = [];
  const log = createLog("info", { write: (line: string) => void lines.push(JSON.parse(line)) });
  const metrics = createMetrics({}, Date.now);
  const observer = new Observer({ log, metrics, traces: null, procedures: new Set() });
  await using app = Fastify();
  beginExchanges(app, observer);
  app.setErrorHandler((error, request, reply) => refuse(request, reply, error));
  // Each is thrown again and again: to write out a stack takes milliseconds here.
  const thrown: Readonly<Record<string, Error>> = {
    "/away": new StorageUnavailable("The database is away."),
    "/mistake": new Error("unexpected"),
    "/busy": new Fault("overloaded"),
    "/wrong": new Fault("fieldsInvalid"),
  };
  for (const [url, error] of Object.entries(thrown))
    app.get(url, () => {
      throw error;
    });
  app.get("/unready", (_request, reply) => reply.code(503).send({ status: "unavailable" }));
  const port = Number(new URL(await app.listen({ port: 0, host: "127.0.0.1" })).port);
  // More than are logged.
  const perPath = 102;
  /** Asks so often at once, on one connection. */
  const ask = async (path: string, times: number) => {
    const request = `GET ${path} HTTP/1.1\r\nHost: a.example\r\n`;
    const socket = connect(port, "127.0.0.1");
    socket.write(`${`${request}\r\n`.repeat(times - 1)}${request}Connection: close\r\n\r\n`);
    await text(socket);
  };
  const askAll = async () => {
    for (const path of [...Object.keys(thrown), "/unready"]) await ask(path, perPath);
  };
  let ended = 0;
  const told = async (requests: number) => {
    ended += requests;
    const counted = async () =>
      [...(await metrics.render()).matchAll(/^http_request_duration_seconds_count\{.*\} (\d+)$/gm)].reduce(
        (sum, [, count]) => sum + Number(count),
        0,
      );
    await expect.poll(counted).toBe(ended);
    const named = lines.splice(0).map(({ fault, msg, status }) => `${fault ?? ""} ${status ?? msg}`);
    return Object.fromEntries(
      Object.entries(Object.groupBy(named, (name) => name)).map(([n, all]) => [n, all?.length]),
    );
  };
  const aMinute = {
    "storageUnavailable 503": 100,
    "storageUnavailable more answers of this fault are not logged for a minute": 1,
    "internal 500": 100,
    "internal more answers of this fault are not logged for a minute": 1,
    "overloaded 503": 100,
    "overloaded more answers of this fault are not logged for a minute": 1,
    // What a client did wrong is no outage.
    "fieldsInvalid 400": perPath,
    " 503": 100,
    "/unready more answers of this fault are not logged for a minute": 1,
  };
  await askAll();
  expect(await told(5 * perPath)).toEqual(aMinute);
  time.mockReturnValue(64_999);
  await ask("/away", 1);
  expect(await told(1)).toEqual({});
  time.mockReturnValue(65_000);
  await askAll();
  expect(await told(5 * perPath)).toEqual(aMinute);
  expect(await metrics.render()).toContain(
    `http_refusals_total{route="/away",fault="storageUnavailable"} ${2 * perPath + 1}`,
  );

  for (let count = 0; count < perPath; count += 1) observer.neverBegun("r", "draining");
  expect(await told(0)).toEqual({
    "draining 503": 100,
    "draining more answers of this fault are not logged for a minute": 1,
  });
});
