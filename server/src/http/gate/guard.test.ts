import type { IncomingMessage } from "node:http";
import Fastify from "fastify";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Fault } from "../../fault.ts";
import { ClientAddresses, type TrustedProxies } from "./client-address.ts";
import { countWrongPasswords, foreignSites, Guard } from "./guard.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

const addresses = new ClientAddresses(0);

function guarded(max: number) {
  const app = Fastify();
  const guard = new Guard({
    name: "calls",
    limit: { max, windowSeconds: 60 },
    addresses,
    isForeign: foreignSites({ origin: () => "https://here.example", corsOrigins: [], addresses }),
    shared: null,
  });
  const onRequest = guard.hook({
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

describe("a request from a page of another site is recognised", () => {
  const corsOrigins = ["https://partner.example"];
  const from = (trusted: TrustedProxies, headers: IncomingMessage["headers"]) => {
    const isForeign = foreignSites({
      origin: () => "https://here.example",
      corsOrigins,
      addresses: new ClientAddresses(trusted),
    });
    const raw = { headers, socket: { remoteAddress: "10.0.0.1" } } as IncomingMessage;
    expect(isForeign({ method: "GET", headers, raw })).toBe(false);
    return isForeign({ method: "POST", headers, raw });
  };
  const none: TrustedProxies = 0;

  test.each([
    ["neither header", undefined, undefined, false],
    ["a page of another site", "cross-site", "https://elsewhere.example", true],
    ["a page of another site that hides its origin", "cross-site", "null", true],
    ["a navigation from another site without an origin", "cross-site", undefined, true],
    ["an allowed page of another site", "cross-site", "https://partner.example", false],
    ["a page of this service", "same-origin", "https://here.example", false],
    ["a page of a sibling host", "same-site", "https://www.here.example", false],
    ["an address that a person typed", "none", undefined, false],
    ["an old browser on this service's page", undefined, "https://here.example", false],
    ["an old browser on an allowed page", undefined, "https://partner.example", false],
    ["an old browser on another page", undefined, "https://elsewhere.example", true],
    ["another port", undefined, "https://here.example:8443", true],
    ["another scheme of the same host", undefined, "http://here.example", false],
    ["a page without an origin of its own", undefined, "null", true],
  ])("%s", (_, site, origin, expected) => {
    const headers = { "sec-fetch-site": site, origin };
    expect(from(none, { ...headers, host: "here.example" })).toBe(expected);
  });

  test.each([
    ["http://vm:3000", "vm:3000", false],
    ["http://vm:3000", "VM:3000", false],
    ["http://vm", "vm", false],
    ["http://vm", "vm:80", false],
    ["https://vm", "vm:443", false],
    ["http://[2001:db8::1]:3000", "[2001:db8::1]:3000", false],
    ["http://bücher.example", "xn--bcher-kva.example", false],
    ["http://vm:3000", "vm", true],
    ["http://vm", "vm:3000", true],
    ["http://vm:3000", "vm:3001", true],
    ["http://vm.evil.example", "vm", true],
    ["null", "null", true],
    ["null", "", true],
    ["http://vm", undefined, true],
    ["moz-extension://vm", "vm", true],
    ["file://", "", true],
  ])("the origin %s, where the host %s was asked for", (origin, host, expected) => {
    expect(from(none, { origin, host })).toBe(expected);
    // What the browser says itself comes first.
    expect(from(none, { origin, host, "sec-fetch-site": "cross-site" })).toBe(true);
  });

  test("only a trusted proxy may name another host", () => {
    const asked = (forwarded: string | undefined, host = "inner:3000") => ({
      origin: "https://out.example",
      host,
      "x-forwarded-host": forwarded,
    });
    const behind: TrustedProxies = ["10.0.0.0/8"];
    expect(from(behind, asked("out.example"))).toBe(false);
    expect(from(behind, asked("out.example, inner:3000"))).toBe(false);
    expect(from(behind, asked("elsewhere.example", "out.example"))).toBe(true);
    expect(from(behind, asked(undefined, "out.example"))).toBe(false);
    expect(from(none, asked("out.example"))).toBe(true);
    expect(from(["192.0.2.0/24"], asked("out.example"))).toBe(true);
  });
});

const from = (address: string) => ({ socket: { remoteAddress: address }, headers: {} }) as unknown as IncomingMessage;

test("an address is refused after its tenth wrong password, with the right one too, until the minute is over", () => {
  const judgePassword = countWrongPasswords(new ClientAddresses(0), 10);
  const judge = (isRight: boolean, address = "2001:db8::1") => {
    try {
      judgePassword(from(address), isRight);
      return "answered";
    } catch (error) {
      return (error as Fault).fault;
    }
  };
  const first = Array.from({ length: 12 }, () => judge(false));
  expect(first).toEqual([...Array<string>(10).fill("answered"), "tooManyAttempts", "tooManyAttempts"]);
  expect(judge(true)).toBe("tooManyAttempts");
  expect(judge(true, "2001:db8::ffff")).toBe("tooManyAttempts");
  expect(judge(true, "2001:db8:0:1::1")).toBe("answered");
  vi.advanceTimersByTime(60_001);
  expect(judge(true)).toBe("answered");
});

test("right passwords are not counted", () => {
  const judgePassword = countWrongPasswords(new ClientAddresses(0), 1);
  for (let times = 0; times < 5; times += 1) judgePassword(from("192.0.2.1"), true);
  judgePassword(from("192.0.2.1"), false);
  expect(() => judgePassword(from("192.0.2.1"), false)).toThrow(
    expect.objectContaining({ fault: "tooManyAttempts", retryAfterSeconds: 60 }),
  );
});
