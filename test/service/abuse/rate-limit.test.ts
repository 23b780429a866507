// The limit on submissions: one for both doors and all procedures, by client address, before any body is read.
import { describe, expect, test } from "vitest";
import { addresses, applicant, buyer, type Door, doors, json, rest, rpc, sendBatch } from "../../support/doors.ts";
import { keptLog } from "../../support/kept-log.ts";
import { startService, type Service } from "../../support/service.ts";

// A window that no test can outlast.
const windowSeconds = 86_400;
const limited = (max: number, more: Record<string, string> = {}) =>
  startService({ env: { RATE_LIMIT_MAX: String(max), RATE_LIMIT_WINDOW_SECONDS: String(windowSeconds), ...more } });

const inquire = (service: Service, door: Door, headers: Record<string, string> = {}) =>
  door.send(service, "marketplace.inquiry", json(buyer, headers));

const countsOf = (headers: Headers) => ({
  limit: Number(headers.get("ratelimit-limit")),
  remaining: Number(headers.get("ratelimit-remaining")),
});

const batch = (service: Service, calls: number, headers: Record<string, string> = {}) => {
  const inputs = Array.from({ length: calls }, (_, n) => ({ email: `r${n}@example.org` }));
  return sendBatch(service, Array(calls).fill("newsletter.subscribe"), inputs, headers);
};

describe.each(doors)("on the $name door", (door) => {
  test("submissions beyond the limit are refused 429, say when to come back, and leave nothing", async () => {
    await using service = await limited(2);
    expect(countsOf((await inquire(service, door)).headers)).toEqual({ limit: 2, remaining: 1 });
    expect(countsOf((await inquire(service, door)).headers)).toEqual({ limit: 2, remaining: 0 });
    const before = (await service.mails()).length;
    const { status, headers, fault } = await inquire(service, door);
    expect(status).toBe(429);
    expect(fault).toEqual({
      code: "TOO_MANY_REQUESTS",
      message: "Too many submissions. Please try again in a moment.",
      requestId: headers.get("x-request-id"),
    });
    expect(countsOf(headers)).toEqual({ limit: 2, remaining: 0 });
    for (const name of ["retry-after", "ratelimit-reset"]) {
      const seconds = Number(headers.get(name));
      expect(seconds).toBeGreaterThanOrEqual(1);
      expect(seconds).toBeLessThanOrEqual(windowSeconds);
    }
    expect((await service.stored()).inquiries).toHaveLength(2);
    expect(await service.mails()).toHaveLength(before);
  });
});

test("both doors and all procedures share one limit, and what is refused counts: no field is found out by guessing", async () => {
  await using service = await limited(6);
  expect((await rest.send(service, "newsletter.subscribe", json({ email: "not an address" }))).status).toBe(400);
  expect((await rpc.send(service, "newsletter.subscribe", { body: "text" })).status).toBe(415);
  expect((await inquire(service, rest)).status).toBe(200);
  expect((await inquire(service, rpc)).status).toBe(200);
  expect((await rest.send(service, "newsletter.subscribe", json({ email: "a@example.org" }))).status).toBe(200);
  expect((await rpc.send(service, "applications.submit", json(applicant))).status).toBe(200);
  for (const door of doors) expect((await inquire(service, door)).status).toBe(429);
});

test("of many at once exactly as many pass as the limit says", async () => {
  await using service = await limited(7);
  const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => inquire(service, doors[n % 2]!)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(7);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(33);
  expect((await service.stored()).inquiries).toHaveLength(7);
});

test("pages, probes and addresses that do not exist do not count", async () => {
  await using service = await limited(1);
  for (const path of ["/healthz", "/readyz", "/metrics", "/openapi.json", "/docs", "/nothing"]) {
    expect((await fetch(service.url + path)).headers.get("ratelimit-limit"), path).toBeNull();
  }
  expect((await fetch(service.url + addresses["newsletter.subscribe"])).status).toBe(405);
  expect((await inquire(service, rest)).status).toBe(200);
});

describe("a batch", () => {
  test("counts each of its calls; those beyond the limit are refused and the others pass", async () => {
    await using service = await limited(3);
    const response = await batch(service, 4);
    expect(response.status).toBe(207);
    expect(countsOf(response.headers)).toEqual({ limit: 3, remaining: 0 });
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    const answers = (await response.json()) as { result?: object; error?: { data: { code: string; path: string } } }[];
    expect(answers.map(({ error }) => error?.data.code ?? "OK")).toEqual(["OK", "OK", "OK", "TOO_MANY_REQUESTS"]);
    expect((await service.stored()).subscribers).toHaveLength(3);
  });

  test("of which no call may pass is refused as a list of refusals, its body unread", async () => {
    await using service = await limited(1);
    await inquire(service, rest);
    const procedures = ["newsletter.subscribe", "marketplace.inquiry"] as const;
    const response = await sendBatch(service, procedures, "{not even JSON");
    expect(response.status).toBe(429);
    const told = { code: "TOO_MANY_REQUESTS", httpStatus: 429 };
    expect(await response.json()).toMatchObject(procedures.map((path) => ({ error: { data: { path, ...told } } })));
  });

  test("that is streamed is counted alike", async () => {
    await using service = await limited(2);
    const response = await batch(service, 3, { "trpc-accept": "application/jsonl" });
    const text = await response.text();
    expect(text.match(/TOO_MANY_REQUESTS/g)).toHaveLength(1);
    expect((await service.stored()).subscribers).toHaveLength(2);
    const refused = await batch(service, 1, { "trpc-accept": "application/jsonl" });
    expect([refused.status, refused.headers.has("retry-after")]).toEqual([200, true]);
    expect(await refused.text()).toMatch(/^\{"0":\[\[0\],\[null,0,0\]\]\}\n\[0,0,.*"TOO_MANY_REQUESTS".*\n$/);
  });

  test("that is too large counts no more than the largest that is taken", async () => {
    await using service = await limited(51);
    expect((await batch(service, 60)).status).toBe(400);
    expect((await inquire(service, rest)).status).toBe(200);
    expect((await inquire(service, rest)).status).toBe(429);
  });
});

describe("the client is known", () => {
  test("by the connection: forged headers change nothing", async () => {
    await using service = await limited(1);
    await inquire(service, rest);
    for (const door of doors) {
      for (const name of ["x-forwarded-for", "forwarded", "x-real-ip", "x-client-ip", "cf-connecting-ip"]) {
        expect((await inquire(service, door, { [name]: "203.0.113.9" })).status, name).toBe(429);
      }
    }
  });

  // server/src/http/gate/client-address.test.ts has every form of the header.
  test("behind a trusted proxy by the right-most address it did not vouch for", async () => {
    await using service = await limited(1, { TRUST_PROXY: "1" });
    const from = async (door: Door, header: string) =>
      (await inquire(service, door, { "x-forwarded-for": header })).status;
    expect(await from(rest, "203.0.113.9")).toBe(200);
    expect(await from(rpc, "198.51.100.66, 203.0.113.9")).toBe(429);
    expect(await from(rpc, "203.0.113.10")).toBe(200);
    // An IPv6 customer has a /64 at least, and one limit.
    expect(await from(rest, "2001:db8:1:2::1")).toBe(200);
    expect(await from(rpc, "2001:db8:1:2:ffff::2")).toBe(429);
    // Nonsense counts for the proxy that passed it on, all of it together.
    expect(await from(rest, "nonsense")).toBe(200);
    expect(await from(rpc, "other nonsense")).toBe(429);
  });
});

test("refusals are counted by procedure and door, and the address is in no log line", async () => {
  const { lines, log } = keptLog("trace");
  const env = { RATE_LIMIT_MAX: "1", RATE_LIMIT_WINDOW_SECONDS: String(windowSeconds), TRUST_PROXY: "1" };
  await using service = await startService({ env, log });
  for (const door of doors) {
    await inquire(service, door, { "x-forwarded-for": "203.0.113.9" });
    await inquire(service, door, { "x-forwarded-for": "203.0.113.9" });
  }
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  for (const counted of ['door="rest",code="TOO_MANY_REQUESTS"} 1', 'door="rpc",code="TOO_MANY_REQUESTS"} 2'])
    expect(metrics).toContain(`submissions_total{procedure="marketplace.inquiry",${counted}`);
  expect(lines.filter(({ fault }) => fault === "rateLimited")).toHaveLength(3);
  expect(JSON.stringify(lines)).not.toContain("203.0.113.9");
});
