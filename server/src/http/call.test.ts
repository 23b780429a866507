import { mkdtempDisposable, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import multipart from "@fastify/multipart";
import Fastify from "fastify";
import { expect, test } from "vitest";
import { refuse } from "./fault-reply.ts";
import { createLog } from "../observe/log.ts";
import { createMetrics } from "../observe/metrics.ts";
import { readBody } from "./call.ts";
import { bodyTurns } from "./body/body-turns.ts";
import { acceptBodies, takeJson } from "./body/content-type.ts";
import { ClientAddresses } from "./gate/client-address.ts";
import { httpLimits } from "./limits.ts";
import { beginExchanges } from "./exchange.ts";
import { Observer } from "./observed-requests.ts";

const observer = new Observer({
  log: createLog("silent"),
  metrics: createMetrics(),
  traces: null,
  procedures: new Set(),
});

const awaitTurn = bodyTurns(new ClientAddresses(0), httpLimits.bodyTurnMsMax);

async function send(type: string, payload: string, hasRoom: boolean) {
  await using folder = await mkdtempDisposable(join(tmpdir(), "staging-"));
  await using app = Fastify();
  beginExchanges(app, observer);
  app.removeAllContentTypeParsers();
  takeJson(app, awaitTurn);
  await app.register(multipart, { throwFileSizeLimit: false });
  app.setErrorHandler((error, request, reply) => refuse(request, reply, error));
  const vault = { stagingFolder: folder.path, hasRoom: async () => hasRoom };
  const preParsing = acceptBodies(() => ["application/json", "multipart/form-data"]);
  app.post("/", { preParsing }, async (request) => {
    const body = await readBody(request, { path: "applications.submit" }, { vault, awaitTurn, limits: httpLimits });
    if (body.input === null) throw body.fault;
    await body.unstage?.();
    const { value } = body.input;
    return value instanceof FormData ? [...value.keys()] : value;
  });
  const answer = await app.inject({ method: "POST", url: "/", headers: { "content-type": type }, payload });
  expect(await readdir(folder.path)).toEqual([]);
  return { status: answer.statusCode, body: answer.json<unknown>(), headers: answer.headers };
}

const form = '--b\r\nContent-Disposition: form-data; name="fullName"\r\n\r\nAna\r\n--b--\r\n';

const file = (name: string, text: string) =>
  `--b\r\nContent-Disposition: form-data; name="resumeFile"; filename="${name}"\r\n\r\n${text}\r\n`;

test("a resume is refused while the disk has no room, what comes without one is taken", async () => {
  const type = "multipart/form-data; boundary=b";
  const refused = await send(type, file("cv.pdf", "%PDF") + form, false);
  expect(refused).toMatchObject({ status: 503, body: { code: "SERVICE_UNAVAILABLE" } });
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
  expect(await send("application/json", '{"a":1}', false)).toMatchObject({ status: 200, body: { a: 1 } });
  for (const body of [form, file("", "") + form]) {
    expect(await send(type, body, false)).toMatchObject({ status: 200, body: ["fullName"] });
  }
});

test.each([
  ["multipart/form-data", 400],
  ["multipart/form-data; boundary=", 400],
  [`multipart/form-data; boundary=${"b".repeat(71)}`, 400],
  ["multipart/mixed; boundary=b", 415],
])("a form of type %s is answered %i", async (type, status) => {
  expect((await send(type, form, true)).status).toBe(status);
});
