// The typed client in a page of another origin: its headers are allowed, and those that it reads exposed.
import { createSubmissionsClient } from "@submissions/client";
import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { shared } from "../../support/shared.ts";
import { startService } from "../../support/service.ts";

const origin = "https://www.example.org";

const service = shared(() => startService({ env: { CORS_ORIGINS: origin } }));

const listOf = (answer: Response, header: string) => (answer.headers.get(header) ?? "").toLowerCase().split(/\s*,\s*/);

test("every header that the client sends is allowed", async () => {
  const sent: string[] = [];
  const client = createSubmissionsClient({
    url: service().url,
    fetch: (url, init) => {
      sent.push(...new Headers(init?.headers).keys());
      return fetch(url, init);
    },
  });
  await client.newsletter.subscribe({ email: "reader@example.org" });
  expect(sent).toContain("idempotency-key");
  const asked = { "access-control-request-method": "POST", "access-control-request-headers": sent.toSorted().join() };
  const init = { method: "OPTIONS", headers: { origin, ...asked } };
  const preflight = await fetch(`${service().url}/trpc/newsletter.subscribe`, init);
  expect(preflight.headers.get("access-control-allow-origin")).toBe(origin);
  expect(sent.filter((header) => !listOf(preflight, "access-control-allow-headers").includes(header))).toEqual([]);
});

test("the headers about retries and the request id are exposed", async () => {
  const answer = await fetch(`${service().url}/trpc/newsletter.subscribe`, { method: "POST", headers: { origin } });
  const shown = listOf(answer, "access-control-expose-headers");
  for (const header of ["retry-after", "x-request-id", "idempotency-replayed", "ratelimit-remaining"])
    expect(shown).toContain(header);
});

test("a 404 is readable", async () => {
  const answer = await fetch(`${service().url}/nothing`, { headers: { origin } });
  expect(answer.status).toBe(404);
  expect(answer.headers.get("access-control-allow-origin")).toBe(origin);
});

test("a busy service answers readably, and answers preflights", async () => {
  await using busy = await startService({
    env: { CORS_ORIGINS: origin },
    limits: { requestsMax: 1 },
  });
  const { hostname, port, href } = new URL("/api/marketplace/inquiry", busy.url);
  const held = connect(Number(port), hostname);
  await once(held, "connect");
  held.write("POST /api/marketplace/inquiry HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n");
  held.write("Content-Length: 5000\r\n\r\n");
  const inquire = () => fetch(href, { method: "POST", headers: { origin } });
  await expect.poll(async () => (await inquire()).status).toBe(503);
  expect((await inquire()).headers.get("access-control-allow-origin")).toBe(origin);
  const preflight = { origin, "access-control-request-method": "POST" };
  expect((await fetch(href, { method: "OPTIONS", headers: preflight })).status).toBe(204);
  held.destroy();
});

test("an OPTIONS that is no preflight is a method like others", async () => {
  const ask = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(service().url + path, { method: "OPTIONS", ...init });
    return [answer.status, answer.headers.get("allow"), ((await answer.json()) as { code: unknown }).code];
  };
  expect(await ask("/nope")).toEqual([404, null, "NOT_FOUND"]);
  // With a body too, which is not read.
  for (const init of [
    { headers: { origin } },
    { body: "{" },
    { body: "{", headers: { "content-type": "application/json" } },
  ])
    expect(await ask("/api/marketplace/inquiry", init)).toEqual([405, "POST", "METHOD_NOT_SUPPORTED"]);
});
