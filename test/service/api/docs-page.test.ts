// The reader of the OpenAPI document, under a strict policy. test/service/browser/docs.test.ts uses it.
import Fastify from "fastify";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openApiRoutes } from "../../../server/src/http/openapi/routes.ts";

const app = Fastify();
let page: string;
let policy: string[];
let addresses: string[];
beforeAll(async () => {
  const hostile = `</title><script>alert("1")</script>`;
  const publicUrl = () => "https://submissions.test/";
  const site = { brand: `Speech & ${hostile}`, hasFrontPage: true, bundle: null };
  openApiRoutes(app, { site, publicUrl, version: "1.2.3", proofOfWork: false });
  const response = await app.inject("/docs");
  expect([response.statusCode, response.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
  page = response.body;
  policy = String(response.headers["content-security-policy"]).split("; ");
  addresses = [...page.matchAll(/\s(?:href|src)="([^"#]+)"/g)].map(([, address]) => address!);
});
afterAll(() => app.close());

test("comes with a policy that allows only what this service serves, and nothing inline", () => {
  expect(new Set(policy)).toEqual(
    new Set([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data:",
      "font-src 'self'",
      "connect-src 'self'",
      "form-action 'none'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ]),
  );
});

test("names no other site, and holds no style or script of its own", () => {
  expect(new Set(addresses.map((address) => address.replace(/\?v=[\w-]{16}$/, "")))).toEqual(
    new Set([
      "./",
      "openapi.json",
      "favicon.svg",
      "site/base.css",
      "docs/swagger-ui.css",
      "docs/swagger-ui.js",
      "docs/reader.css",
      "docs/reader.js",
    ]),
  );
  expect(page).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?! src=)/);
});

test("shows the brand as text", () => {
  expect(page).toContain("Speech &amp; &lt;/title&gt;&lt;script&gt;");
});

describe("its files", () => {
  test("are less than 520 KB together, compressed", async () => {
    let bytes = 0;
    for (const address of addresses.filter((one) => one.startsWith("docs/"))) {
      const response = await app.inject({ url: `/${address}`, headers: { "accept-encoding": "gzip" } });
      expect(response.headers["content-encoding"]).toBe("gzip");
      bytes += response.rawPayload.length;
    }
    expect(bytes).toBeLessThan(520_000);
  });

  test.each([
    "/docs/",
    "/docs/index.html",
    "/docs/swagger-ui.js.map",
    "/docs/..%2fpackage.json",
    "/docs/../package.json",
  ])("%s is not one of them", async (path) => {
    expect((await app.inject(path)).statusCode).toBe(404);
  });

  test("of ours ask for nothing from elsewhere", async () => {
    for (const path of ["/docs/reader.css", "/docs/reader.js"])
      expect((await app.inject(path)).body).not.toMatch(/https?:|@import|url\(/);
  });
});
