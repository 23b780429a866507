// The site's addresses: the front page, what it and the forms load, and what pages of others may read.
import { hash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import about from "../../../server/package.json" with { type: "json" };
import { createLog } from "../../../server/src/observe/log.ts";
import { buyer, json, rest } from "../../support/doors.ts";
import { openFolder } from "../../support/folder.ts";
import { fields, postForm, tickedOn, typedIn, visit } from "../../support/pages.ts";
import { startService } from "../../support/service.ts";
import { shared } from "../../support/shared.ts";

const origin = "https://www.example.org";
const catalogue = new URL("../../fixtures/catalogue.json", import.meta.url).pathname;

const folder = shared(openFolder);
const service = shared(async () => {
  const formsFolder = folder().path;
  await writeFile(join(formsFolder, "forms.js"), "// The forms.\n".repeat(100));
  await writeFile(join(formsFolder, "forms-chunk-1a2b.js"), "// A chunk.\n");
  await writeFile(join(formsFolder, "notes.txt"), "Not for the public.");
  await mkdir(join(formsFolder, "packages"));
  await writeFile(join(formsFolder, "packages/client-1.2.3.tgz"), "Packed.".repeat(100));
  return startService({ formsFolder, env: { CORS_ORIGINS: origin, PACKAGE_CATALOGUE: catalogue } });
});

const get = (path: string, headers: Record<string, string> = {}) => fetch(service().url + path, { headers });

describe("what is handed out by version", () => {
  const scriptPath = `/forms-${about.version}.js`;

  test.each([
    ["/packages/client-1.2.3.tgz", "application/gzip", "Packed.".repeat(100)],
    [scriptPath, "text/javascript; charset=utf-8", "// The forms.\n".repeat(100)],
  ])("%s never changes, and any page may load it", async (path, type, body) => {
    const { status, headers, text } = await visit(service(), path);
    expect([status, headers.get("content-type"), text]).toEqual([200, type, body]);
    expect(headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(headers.get("access-control-allow-origin")).toBe("*");
  });

  test("another version is not there", async () => {
    for (const path of ["/packages/client-9.9.9.tgz", "/forms-9.9.9.js"]) {
      expect((await get(path)).status).toBe(404);
    }
  });

  test("the page of the API has the addresses and what proves the bytes", async () => {
    const { text } = await visit(service(), "/docs");
    expect(text).toContain(`npm install ${service().url}/packages/client-1.2.3.tgz`);
    for (const path of ["/packages/client-1.2.3.tgz", scriptPath]) {
      const bytes = Buffer.from(await (await get(path)).arrayBuffer());
      expect(text).toContain(`sha512-${hash("sha512", bytes, "base64")}`);
    }
  });
});

describe("the front page", () => {
  test("has the three forms, the packages, and ways to the API", async () => {
    const { status, headers, text } = await visit(service(), "/");
    expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    for (const action of ["marketplace/inquiry", "newsletter/subscribe", "applications/submit"])
      expect(text).toContain(`action="api/${action}"`);
    for (const title of ["English, Scottish accents, 120 h", "German, Austria, 80 h"])
      expect(text.split(title).length).toBeGreaterThan(2);
    expect(text).toContain('href="docs"');
    expect(text).toContain('href="openapi.json"');
  });

  test("without a catalogue offers a sample, with what is known of each package, and mails use its titles", async () => {
    await using plain = await startService({ env: { BRAND: "Datasets & Söhne", MAIL_FROM: "hello@datasets.example" } });
    const { text } = await visit(plain, "/");
    expect(text).toContain("Datasets &amp; Söhne</title>");
    expect(text).toContain("120 hours · 84 speakers<span>CC BY 4.0</span>");
    expect(text.replaceAll(/<[^>]*>/g, "")).not.toMatch(/en-GB-scottish|datasets\.example/);
    const selectedPackageIds = ["en-GB-scottish", "unheard-of"];
    await rest.send(plain, "marketplace.inquiry", json({ ...buyer, selectedPackageIds }));
    const receipt = async () => (await plain.mails()).find(({ subject }) => subject?.startsWith("We received"));
    await expect.poll(receipt).toBeDefined();
    expect((await receipt())?.text).toContain("  - Scottish English, conversations\n  - and 1 more\n");
  });

  test("with neither catalogue nor front page, pages and mails name no package", async () => {
    await using bare = await startService({ env: { SITE: "off" } });
    const { selectedPackageIds: _none, ...incomplete } = buyer;
    const refused = await postForm(bare, "marketplace.inquiry", fields(incomplete));
    expect([refused.status, typedIn(refused, "selectedPackageIds")]).toEqual([400, ""]);
    expect(refused.text).not.toContain("Austrian German");
    await rest.send(bare, "marketplace.inquiry", json({ ...buyer, selectedPackageIds: ["de-AT"] }));
    await expect.poll(async () => (await bare.mails()).length).toBe(2);
    const texts = (await bare.mails()).map(({ text }) => text).join();
    expect(texts).not.toContain("Austrian German");
    expect(texts).toContain("1 package\n");
  });

  test("is for search engines, unlike thanks and refusals", async () => {
    expect((await visit(service(), "/")).headers.get("x-robots-tag")).toBeNull();
    for (const path of ["/thanks?kind=newsletter", "/nothing"])
      expect((await visit(service(), path)).headers.get("x-robots-tag")).toContain("noindex");
  });

  test("comes with a policy that allows nothing inline and nothing from elsewhere, and needs neither", async () => {
    const { headers, text } = await visit(service(), "/");
    const policy = headers.get("content-security-policy")?.split("; ");
    expect(policy?.toSorted().join("; ")).toBe(
      "base-uri 'none'; connect-src 'self'; default-src 'none'; form-action 'self'; frame-ancestors 'none'; " +
        "img-src 'self' data:; script-src 'self'; style-src 'self'; worker-src 'self'",
    );
    expect(text).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?! type="module" src="[^"]+"><\/script>)/);
    const addresses = [...text.matchAll(/\s(?:href|src|action)="([^"]*)"/g)].map(([, address]) => address!);
    expect(addresses.filter((address) => /^(?:[a-z]+:|\/)/i.test(address))).toEqual([]);
  });

  test("can be kept by the browser that asked, for going back to it, and by no other", async () => {
    expect((await visit(service(), "/")).headers.get("cache-control")).toBe("private, no-cache");
  });
});

describe("what pages load", () => {
  const assets = async () => {
    const pages = await Promise.all(["/", "/thanks?kind=newsletter", "/docs"].map((path) => visit(service(), path)));
    const found = pages.flatMap(({ text }) =>
      [...text.matchAll(/<(?:link|script|img)[^>]*\s(?:href|src)="([^"]+)"/g)].map(([, address]) => `/${address}`),
    );
    return [...new Set(found)];
  };

  test("is there, with its type, and may be kept for good under its hash", async () => {
    const all = await assets();
    expect(all.length).toBeGreaterThan(7);
    for (const address of all) {
      const { status, headers } = await get(address);
      expect([status, headers.get("cache-control")], address).toEqual([200, "public, max-age=31536000, immutable"]);
      const type = { css: "text/css; charset=utf-8", js: "text/javascript; charset=utf-8", svg: "image/svg+xml" };
      expect(headers.get("content-type"), address).toBe(type[/\.(\w+)\?/.exec(address)![1] as keyof typeof type]);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
    }
  });

  test("may be kept for minutes only without its hash, or with another one", async () => {
    for (const address of ["/site/base.css", "/site/base.css?v=0", "/site/base.css?v=a&v=b"])
      expect((await get(address)).headers.get("cache-control")).toBe("public, max-age=300");
  });

  test("is not sent again to who has it, and comes compressed to who can read that", async () => {
    for (const encoding of ["gzip, deflate, br", "identity", "gzip;q=0", "*"]) {
      const response = await fetch(`${service().url}/forms.js`, { headers: { "accept-encoding": encoding } });
      const etag = response.headers.get("etag")!;
      expect(response.headers.get("content-encoding")).toBe(encoding.startsWith("gzip,") ? "gzip" : null);
      expect(response.headers.get("vary")).toContain("Accept-Encoding");
      expect(await response.text()).toBe("// The forms.\n".repeat(100));
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
        const again = await get("/forms.js", { "accept-encoding": encoding, "if-none-match": known });
        expect([again.status, again.headers.get("etag"), await again.text()]).toEqual([304, etag, ""]);
      }
      expect((await get("/forms.js", { "if-none-match": '"other"' })).status).toBe(200);
    }
  });

  test("has an icon where browsers look for one", async () => {
    for (const path of ["/favicon.ico", "/favicon.svg"])
      expect((await get(path)).headers.get("content-type")).toBe("image/svg+xml");
  });
});

describe("the forms' script", () => {
  test.each(["/forms.js", "/forms-chunk-1a2b.js", "/forms.css"])("%s is for pages of any origin", async (path) => {
    const { status, headers } = await get(path, { origin: "https://elsewhere.example" });
    expect(status).toBe(200);
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.get("cross-origin-resource-policy")).toBe("cross-origin");
  });

  test("takes no other file of its folder, nor of those around it", async () => {
    for (const path of ["/notes.txt", "/forms.js/", "/..%2fpackage.json", "/../package.json", "/forms-other.js"])
      expect((await get(path)).status, path).toBe(404);
  });

  test("is missed once in the log where it was not built, and no second time", async () => {
    const lines: string[] = [];
    const log = createLog("info", { write: (line) => lines.push(line) > 0 });
    await using bare = await startService({ formsFolder: join(folder().path, "absent"), log });
    expect(lines.filter((line) => line.includes("was not built"))).toHaveLength(1);
    expect((await fetch(`${bare.url}/forms.js`)).status).toBe(404);
    const { status, text } = await visit(bare, "/");
    expect(status).toBe(200);
    expect(text).not.toContain("forms.js");
    expect(text).toContain('action="api/newsletter/subscribe"');
  });
});

describe("the forms' configuration", () => {
  test("holds the catalogue, for pages of the origins that may call", async () => {
    const { status, headers, ...response } = await visit(service(), "/forms/config.json", { headers: { origin } });
    expect([status, headers.get("content-type")]).toEqual([200, "application/json; charset=utf-8"]);
    expect(headers.get("access-control-allow-origin")).toBe(origin);
    const scottish = { id: "en-GB-scottish", title: "English, Scottish accents, 120 h" };
    const packages = [scottish, { id: "de-AT", title: "German, Austria, 80 h" }];
    expect(JSON.parse(response.text)).toEqual({ packages, proofOfWork: false });
    const elsewhere = await get("/forms/config.json", { origin: "https://elsewhere.example" });
    expect(elsewhere.headers.get("access-control-allow-origin")).toBeNull();
  });

  test("holds the sample of the front page where there is no catalogue, and whether proofs of work are wanted", async () => {
    await using open = await startService({ env: { ALTCHA_HMAC_KEY: "a".repeat(32) } });
    const { packages, proofOfWork } = JSON.parse((await visit(open, "/forms/config.json")).text);
    expect(packages).toContainEqual({ id: "de-AT", title: "Austrian German, conversations" });
    expect(proofOfWork).toBe(true);
    expect((await visit(open, "/")).text).toContain("Austrian German, conversations");
  });

  test("says that any package may be typed where there is neither a catalogue nor a front page", async () => {
    await using bare = await startService({ env: { SITE: "off" } });
    expect(JSON.parse((await visit(bare, "/forms/config.json")).text)).toEqual({ packages: null, proofOfWork: false });
  });
});

test("a large catalogue makes no large page, and all of it can be asked for", async () => {
  const file = join(folder().path, "catalogue.json");
  const packages = Array.from({ length: 5_000 }, (_, index) => ({ id: `p-${index}`, title: `Package ${index}` }));
  await writeFile(file, JSON.stringify(packages));
  await using large = await startService({ env: { PACKAGE_CATALOGUE: file } });
  const page = await visit(large, "/?package=p-4999");
  expect(page.text.length).toBeLessThan(150_000);
  expect(tickedOn(page)).toEqual(["p-4999"]);
});
