// The reader of the OpenAPI document: complete, small, escaped, and without anything from elsewhere.
import { faults } from "@submissions/shared/faults";
import Fastify from "fastify";
import { describe, expect, test } from "vitest";
import { renderDocsPage } from "../../server/src/http/openapi/reader-page.ts";
import { buildOpenApiDocument } from "../../server/src/http/openapi/document.ts";
import { openApiRoutes } from "../../server/src/http/openapi/routes.ts";

const document = buildOpenApiDocument({ publicUrl: "https://submissions.test", version: "1.2.3" });
const page = renderDocsPage(document);

test("shows every operation, with its fields and refusals", () => {
  for (const [path, methods] of Object.entries(document.paths)) {
    expect(page).toContain(`<code>${path}</code>`);
    for (const operation of Object.values(methods)) expect(page).toContain(`id="${operation.operationId}"`);
  }
  for (const { properties } of Object.values(document.components.schemas)) {
    for (const name of Object.keys(properties ?? {})) expect(page).toContain(`<code>${name}</code>`);
  }
  for (const name of ["fieldsInvalid", "resumeKindUnsupported", "storageUnavailable"] as const) {
    expect(page).toContain(`<summary>${name}</summary>`);
    expect(page).toContain(faults[name].message);
  }
});

test("every link within the page leads somewhere, and no two places share a name", () => {
  const ids = [...page.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const [, target] of page.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(target);
});

test("asks for nothing from other places, and holds no style or script of its own", () => {
  const addresses = [...page.matchAll(/\s(?:href|src)="([^"#][^"]*)"/g)].map(([, address]) => address);
  expect(new Set(addresses.map((address) => address?.replace(/\?v=[\w-]{16}$/, "")))).toEqual(
    new Set(["favicon.svg", "site/base.css", "docs/copy.js", "docs/style.css", "openapi.json"]),
  );
  expect(page).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?! src=)/);
});

test("fits in 60 KB", () => {
  expect(Buffer.byteLength(page)).toBeLessThan(60_000);
});

test("shows what the document says as text, whatever it says", () => {
  const hostile = `</pre><script>alert("1")</script>' & <b>`;
  const shown = renderDocsPage(
    JSON.parse(
      JSON.stringify(document, (key, value: unknown) =>
        ["description", "summary", "title", "message", "when", "name", "url"].includes(key) && typeof value === "string"
          ? value + hostile
          : value,
      ),
    ) as typeof document,
  );
  expect(shown).not.toContain("<script>");
  expect(shown).not.toContain("<b>");
  expect(shown).toContain("&lt;script&gt;");
});

test("quotes command lines so that a shell takes them as they are", () => {
  const commands = [...page.matchAll(/<code>(curl [^<]*)<\/code>/g)].map(([, command]) => command ?? "");
  expect(commands).toHaveLength(6);
  for (const command of commands)
    expect(command.replaceAll("\\&#39;", "").match(/&#39;/g)?.length ?? 0).toSatisfy(isEven);
});

const isEven = (count: number) => count % 2 === 0;

describe("over HTTP", () => {
  const app = Fastify();
  openApiRoutes(app, { publicUrl: () => "https://submissions.test/", version: "1.2.3" });

  test("comes with a policy that allows its own style sheet and script, and nothing inline", async () => {
    const response = await app.inject("/docs");
    expect(response.statusCode).toBe(200);
    expect(response.headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(response.body).toBe(page);
    const policy = String(response.headers["content-security-policy"]);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("style-src 'self'; script-src 'self'");
    expect(policy).not.toContain("unsafe");
  });

  test.each([
    ["/docs/style.css", "text/css; charset=utf-8"],
    ["/docs/copy.js", "text/javascript; charset=utf-8"],
  ])("serves %s", async (url, type) => {
    const response = await app.inject(url);
    expect(response.statusCode).toBe(200);
    expect(response.headers["content-type"]).toBe(type);
    expect(response.body).not.toMatch(/https?:|@import|url\(/);
  });
});
