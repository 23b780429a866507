// The shell of the console and its files: what they are sent with, and which addresses have none.
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { openFolder } from "../../support/folder.ts";
import { startService } from "../../support/service.ts";
import { shared } from "../../support/shared.ts";
import { operator } from "../../support/console/operator.ts";

const style = ".a { color: red }\n".repeat(100);
const consoleFolder = shared(openFolder);
const service = shared(async () => {
  const folder = consoleFolder().path;
  await mkdir(join(folder, "assets"));
  await writeFile(join(folder, "index.html"), '<link href="./icon.svg" /><script src="./assets/app-1a2b.js"></script>');
  await writeFile(join(folder, "viewer.html"), "the viewer");
  await writeFile(join(folder, "icon.svg"), "<svg/>");
  await writeFile(join(folder, "assets/app-1a2b.js"), "console.log(1)");
  await writeFile(join(folder, "assets/style-3c4d.css"), style);
  await writeFile(join(folder, "assets/style-3c4d.css.br"), brotliCompressSync(style));
  await writeFile(join(folder, "assets/secret.txt"), "not for browsers");
  return startService({ consoleFolder: folder });
});

const pages = ["/console", "/console/", "/console/inquiries/INQ-20261121-123456", "/console/people/ann%40example.org"];

test.each([...pages, "/console/invitation", "/console/sign-in"])("%s is the shell, without a cookie", async (path) => {
  const response = await fetch(service().url + path, { headers: { accept: "text/html" } });
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  const html = await response.text();
  expect(html).toContain('<script src="/console/assets/app-1a2b.js"');
  expect(html).toContain('<link href="/console/icon.svg"');
  expect(response.headers.getSetCookie()).toEqual([]);
  expect(response.headers.get("cache-control")).toBe("no-cache");
  expect(response.headers.get("cross-origin-opener-policy")).toBe("same-origin");
  const policy = response.headers.get("content-security-policy");
  const none = ["default-src", "frame-ancestors", "base-uri"].map((what) => `${what} 'none'`);
  const own = ["script-src", "style-src", "connect-src", "frame-src"].map((what) => `${what} 'self'`);
  for (const part of [...none, ...own, "img-src 'self' data:"]) expect(policy).toContain(part);
  expect(policy).not.toMatch(/unsafe|\*/);
});

test("files are kept for good, because their names hold a digest; the others for minutes", async () => {
  const script = await fetch(`${service().url}/console/assets/app-1a2b.js`);
  expect(await script.text()).toBe("console.log(1)");
  expect(Object.fromEntries(script.headers)).toMatchObject({
    "content-type": "text/javascript; charset=utf-8",
    "cache-control": "public, max-age=31536000, immutable",
    "access-control-allow-origin": "*",
    "x-content-type-options": "nosniff",
  });
  const icon = await fetch(`${service().url}/console/icon.svg`);
  expect(icon.headers.get("cache-control")).toBe("public, max-age=300");
});

test("a text is sent in the coding beside it to those who accept that, with a tag of its own", async () => {
  const path = "/console/assets/style-3c4d.css";
  const inCoding = async (accepted: string) => {
    const response = await fetch(service().url + path, { headers: { "accept-encoding": accepted } });
    const { headers } = response;
    expect([await response.text(), headers.get("vary")]).toEqual([style, "Accept-Encoding"]);
    return [headers.get("content-encoding"), headers.get("etag")] as const;
  };
  const answers = [];
  for (const accepted of ["gzip, deflate, br, zstd", "gzip, br;q=0", "identity"])
    answers.push(await inCoding(accepted));
  expect(answers.map(([coding]) => coding)).toEqual(["br", "gzip", null]);
  expect(new Set(answers.map(([, tag]) => tag)).size).toBe(3);
  const headers = { "accept-encoding": "br", "if-none-match": answers[0]![1]! };
  expect((await fetch(service().url + path, { headers })).status).toBe(304);
  expect((await fetch(`${service().url}${path}.br`)).status).toBe(404);
});

test("the viewer runs in a sandbox and loads the console's files only", async () => {
  const response = await fetch(`${service().url}/console/viewer.html`);
  const policy = response.headers.get("content-security-policy") ?? "";
  expect(policy).toContain("sandbox allow-scripts;");
  expect(policy).toContain(`script-src 'self' ${service().url}/console/assets/ 'wasm-unsafe-eval';`);
  expect(policy).toContain(`connect-src 'self' ${service().url}/console/assets/;`);
  expect(policy).toContain("frame-ancestors 'self'");
});

test("no policy of a page takes anything from the name that the service was asked by", async () => {
  const { hostname, port } = new URL(service().url);
  for (const path of [...pages, "/console/viewer.html", "/docs", "/"]) {
    const sent = request({ host: hostname, port, path, headers: { host: "evil.example" } });
    const [response] = (await once(sent.end(), "response")) as [IncomingMessage];
    response.resume();
    expect([path, response.statusCode]).toEqual([path, 200]);
    expect(response.headers["content-security-policy"]).toContain("default-src 'none'");
    expect(JSON.stringify(response.headers)).not.toContain("evil.example");
  }
});

test.each([
  "/console/assets/none.js",
  "/console/assets/secret.txt",
  "/console/exports/passwords.csv",
  "/console/exports",
  "/console/resumes",
  "/console/oidc/start",
  "/consoles",
])("%s is nothing", async (path) => {
  expect((await fetch(service().url + path)).status).toBe(404);
});

test("below the path of PUBLIC_URL the shell finds its files there", async () => {
  const env = { PUBLIC_URL: "https://service.example/below" };
  await using below = await startService({ consoleFolder: consoleFolder().path, env });
  expect(await (await fetch(`${below.url}/console`)).text()).toContain(
    '<script src="/below/console/assets/app-1a2b.js"',
  );
});

test("without the front end the calls are there all the same, and pages are not", async () => {
  await using bare = await startService({ consoleFolder: join(consoleFolder().path, "none") });
  expect((await fetch(`${bare.url}/console`)).status).toBe(404);
  const anna = await operator(bare, "anna@example.org", "sales");
  expect((await anna.call("inbox.counts")).status).toBe(200);
});

test("calls are limited for each client, at twenty times the submissions", async () => {
  await using limited = await startService({ consoleFolder: consoleFolder().path, env: { RATE_LIMIT_MAX: "1" } });
  const statuses: number[] = [];
  for (let at = 0; at < 21; at += 1) {
    const response = await fetch(`${limited.url}/console/trpc/session.me`, {
      method: "POST",
      headers: { "content-type": "application/json", "sec-fetch-site": "same-origin" },
    });
    statuses.push(response.status);
    if (response.status === 429) expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
  }
  expect(statuses.filter((status) => status === 429)).toHaveLength(1);
});
