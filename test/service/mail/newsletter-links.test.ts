// The pages behind the links: GET changes nothing, the button does, and a link that does not work says no more than that.
import { describe, expect, test } from "vitest";
import { startService } from "../../support/service.ts";
import { shared } from "../../support/shared.ts";
import { oneClick, open, press, statusOf, subscriber, tokenOf, welcomed } from "../../support/newsletter/reader.ts";
import { json, rest } from "../../support/doors.ts";

const service = shared(() => startService());

let readers = 0;
async function newReader() {
  const email = `reader${(readers += 1)}@example.org`;
  const { confirm, unsubscribe } = await welcomed(service(), email);
  return { email, confirm: confirm!, unsubscribe };
}

const page = (purpose: string, query = "") => `${service().url}/newsletter/${purpose}${query}`;

describe("opening a link", () => {
  test.each(["GET", "HEAD"])("by %s, however often, changes nothing", async (method) => {
    const { email, confirm, unsubscribe } = await newReader();
    const before = await subscriber(service(), email);
    for (const link of [confirm, unsubscribe, confirm, unsubscribe]) {
      expect((await open(link, { method })).status).toBe(200);
    }
    expect(await subscriber(service(), email)).toEqual(before);
    await press(confirm);
    expect(await statusOf(service(), email)).toBe("active");
    await open(unsubscribe, { method });
    expect(await statusOf(service(), email)).toBe("active");
  });

  test("shows one button, no script, and neither the address nor anything from elsewhere", async () => {
    const { email, confirm, unsubscribe } = await newReader();
    for (const link of [confirm, unsubscribe]) {
      const { text } = await open(link);
      expect(text.match(/<button/g)).toHaveLength(1);
      expect(text).not.toMatch(/<script|<style|\sstyle=|\son\w+=|https?:/);
      expect(text).not.toContain(email);
    }
  });

  test("keeps out of caches, search engines, frames and the next page's Referer, and sets no cookie", async () => {
    const { confirm } = await newReader();
    const question = await open(confirm);
    // Its form must be sent with its origin.
    expect(question.headers.get("referrer-policy")).toBe("strict-origin");
    for (const { headers } of [await open(page("confirm")), await press(confirm)])
      expect(headers.get("referrer-policy")).toBe("no-referrer");
    for (const { headers } of [question, await open(page("confirm")), await press(confirm)]) {
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("x-robots-tag")).toContain("noindex");
      expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(headers.get("set-cookie")).toBeNull();
      const policy = headers.get("content-security-policy");
      for (const rule of ["default-src 'none'", "style-src 'self'", "form-action 'self'", "frame-ancestors 'none'"]) {
        expect(policy).toContain(rule);
      }
      expect(policy).not.toMatch(/unsafe|script-src/);
    }
  });

  test("loads style sheets that fetch nothing", async () => {
    const { text: shown } = await open(page("confirm"));
    const addresses = [...shown.matchAll(/rel="stylesheet" href="([^"]+)"/g)].map(([, address]) => address!);
    expect(addresses.length).toBeGreaterThan(0);
    for (const address of addresses) {
      const { status, headers, text } = await open(new URL(address, page("confirm")).href);
      expect([status, headers.get("content-type")]).toEqual([200, "text/css; charset=utf-8"]);
      expect(text).not.toMatch(/https?:|@import|url\(/);
    }
  });
});

describe("one click of a mail program", () => {
  test.each(["urlencoded", "multipart"] as const)("unsubscribes by a %s form", async (encoding) => {
    const { email, unsubscribe } = await newReader();
    for (const answer of [await oneClick(unsubscribe, encoding), await oneClick(unsubscribe, encoding)]) {
      expect(answer.status).toBe(200);
      expect(answer.headers.get("location")).toBeNull();
      expect(answer.headers.get("set-cookie")).toBeNull();
    }
    expect(await statusOf(service(), email)).toBe("unsubscribed");
  });

  test("goes by the token of the address, whatever else the form holds", async () => {
    const { email, unsubscribe } = await newReader();
    const body = new URLSearchParams({ token: "another" });
    expect(await open(unsubscribe, { method: "POST", body })).toMatchObject({ status: 200 });
    expect(await statusOf(service(), email)).toBe("unsubscribed");
  });

  test.each([
    [
      "a page of another site",
      { origin: "moz-extension://1b2c", "sec-fetch-site": "cross-site" },
      "List-Unsubscribe=One-Click",
    ],
    ["a page that hides its origin", { origin: "null" }, "List-Unsubscribe=One-Click"],
    ["a program that sends JSON", { "content-type": "application/json" }, '{"List-Unsubscribe":"One-Click"}'],
    ["a program that sends no JSON under its type", { "content-type": "application/json" }, "{"],
    ["a program that sends text", { "content-type": "text/plain;charset=UTF-8" }, "List-Unsubscribe=One-Click"],
    ["a program that sends bytes", { "content-type": "application/octet-stream" }, "\u0000\u00FF"],
    ["a program that names no type", { "content-type": "" }, "List-Unsubscribe=One-Click"],
    ["a program that names a type that is none", { "content-type": "one click; ;=" }, "List-Unsubscribe=One-Click"],
    ["a program that sends a broken multipart form", { "content-type": "multipart/form-data" }, "--"],
    ["a program that sends a large form", { "content-type": "application/x-www-form-urlencoded" }, "x".repeat(100_000)],
    ["a program that sends more than a form", { "content-type": "text/html" }, "x".repeat(100_000)],
  ])("works from %s", async (_, headers, body) => {
    const { email, unsubscribe } = await newReader();
    const answer = await open(unsubscribe, { method: "POST", headers, body });
    expect([answer.status, await statusOf(service(), email)]).toEqual([200, "unsubscribed"]);
  });

  test("that comes in chunks under no type works", async () => {
    const { email, unsubscribe } = await newReader();
    const body = new Blob(["List-Unsubscribe=One-Click"]).stream();
    const { status } = await open(unsubscribe, { method: "POST", body, duplex: "half" } as RequestInit);
    expect([status, await statusOf(service(), email)]).toEqual([200, "unsubscribed"]);
  });

  test("works without a body at all", async () => {
    const { email, unsubscribe } = await newReader();
    expect(await open(unsubscribe, { method: "POST" })).toMatchObject({ status: 200 });
    expect(await statusOf(service(), email)).toBe("unsubscribed");
  });
});

describe("a link that does not work", () => {
  test("is answered 404 with one text for every reason, and changes nothing", async () => {
    const { email, confirm, unsubscribe } = await newReader();
    const left = await newReader();
    await press(left.unsubscribe);
    const before = await subscriber(service(), email);
    const dead = [
      page("confirm"),
      page("unsubscribe"),
      page("confirm", "?token="),
      page("confirm", `?token=${"A".repeat(43)}`),
      page("unsubscribe", `?token=${"A".repeat(43)}`),
      page("unsubscribe", `?token=${"A".repeat(101)}`),
      page("unsubscribe", "?token=%00%ff"),
      page("confirm", "?token=%3Cb%3Emark"),
      // For the other purpose.
      page("confirm", `?token=${tokenOf(unsubscribe)}`),
      page("unsubscribe", `?token=${tokenOf(confirm)}`),
      // Cut, longer, doubled.
      confirm.slice(0, -1),
      `${confirm}A`,
      `${confirm}&token=${tokenOf(confirm)}`,
      left.confirm,
    ];
    const texts = new Set<string>();
    for (const link of dead) {
      for (const method of ["GET", "POST"]) {
        const { status, text } = await open(link, { method });
        expect(status, `${method} ${link}`).toBe(404);
        texts.add(text);
      }
      expect((await open(link, { method: "HEAD" })).status).toBe(404);
    }
    expect(texts.size).toBe(1);
    expect(await subscriber(service(), email)).toEqual(before);
    expect(await statusOf(service(), left.email)).toBe("unsubscribed");
  });

  test.each([
    ["a larger form", 413, { body: new URLSearchParams({ token: "A".repeat(5_000) }) }],
    ["another content type", 415, { body: "{}", headers: { "content-type": "application/json" } }],
    ["a content type that is none", 415, { body: "{}", headers: { "content-type": "json" } }],
  ])("with %s is refused by a page too", async (_what, expected, init) => {
    const { status, headers, text } = await open(page("unsubscribe"), { method: "POST", ...init });
    expect(status).toBe(expected);
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(text).toContain("<h1>That did not work</h1>");
  });

  test("with another method gets 405", async () => {
    const { status, headers } = await open(page("unsubscribe"), { method: "DELETE" });
    expect(status).toBe(405);
    expect(headers.get("allow")).toBe("GET, HEAD, POST");
  });
});

test("links are followed ten times as often as submissions are taken, by a count of their own", async () => {
  await using limited = await startService({ env: { RATE_LIMIT_MAX: "1", RATE_LIMIT_WINDOW_SECONDS: "86400" } });
  const link = (purpose: string) => `${limited.url}/newsletter/${purpose}?token=${"A".repeat(43)}`;
  for (const purpose of ["confirm", "unsubscribe"]) {
    for (let followed = 0; followed < 5; followed += 1) {
      expect((await open(link(purpose), { method: "POST" })).status).toBe(404);
      expect((await open(link(purpose))).status).toBe(404);
    }
  }
  for (const purpose of ["confirm", "unsubscribe"]) {
    const { status, headers, text } = await open(link(purpose), { method: "POST" });
    expect([status, headers.get("content-type")]).toEqual([429, "text/html; charset=utf-8"]);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    expect(text).toContain("<h1>Please wait a moment</h1>");
    expect(text).toContain("You can try again in");
  }
  // Looking is free, and so are submissions.
  expect((await open(link("confirm"))).status).toBe(404);
  expect((await rest.send(limited, "newsletter.subscribe", json({ email: "a@example.org" }))).status).toBe(200);
});
