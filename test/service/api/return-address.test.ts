// Where a form without script leads after success: to its own page if the service knows the origin, otherwise to thanks.
import { describe, expect, test } from "vitest";
import { addresses, applicant, form, json, pdf, rest } from "../../support/doors.ts";
import { fields, postForm, typedIn, visit } from "../../support/pages.ts";
import { startService } from "../../support/service.ts";
import { shared } from "../../support/shared.ts";

const origin = "https://www.example.org";
const service = shared(() => startService({ env: { CORS_ORIGINS: `${origin}, http://localhost:5173` } }));

const reader = { email: "reader@example.org" };
const subscribe = (next: string | readonly string[], more = {}) =>
  postForm(service(), "newsletter.subscribe", fields({ ...reader, next, ...more }));

test.each([
  ["/danke", "/danke"],
  ["/", "/"],
  ["/danke?von=a#b", "/danke?von=a#b"],
  ["/../danke schön", "/danke%20sch%C3%B6n"],
  [`${origin}/danke?x=1#ok`, `${origin}/danke?x=1#ok`],
  ["HTTPS://WWW.EXAMPLE.ORG", `${origin}/`],
  ["http://localhost:5173/a", "http://localhost:5173/a"],
])("%s is followed", async (next, location) => {
  const { status, headers } = await subscribe(next);
  expect([status, headers.get("location")]).toEqual([303, location]);
});

test("a whole address of the service itself is followed as a path", async () => {
  expect((await subscribe(`${service().url}/danke`)).headers.get("location")).toBe("/danke");
});

test.for<string | string[]>([
  "//evil.example",
  "///evil.example",
  "/\\evil.example",
  "\\\\evil.example",
  "/\t/evil.example",
  "/\n/evil.example",
  "\t//evil.example",
  "/..//evil.example",
  "/./%2e//evil.example",
  "/danke\r\nset-cookie: a=b",
  "https://evil.example/",
  "https:evil.example",
  "https:/evil.example",
  "https:///evil.example",
  `${origin}.evil.example/`,
  `${origin}@evil.example/`,
  `${origin}:8443/`,
  "http://www.example.org/",
  "https://user@www.example.org/",
  "https://user:password@www.example.org/",
  "https://www.example.org\\@evil.example/",
  "javascript:alert(1)",
  "data:text/html,x",
  `blob:${origin}/0123`,
  "ftp://www.example.org/",
  "danke",
  "?danke",
  "#danke",
  " /danke",
  "",
  `/${"x".repeat(2_048)}`,
  ["/a", "/b"],
])("%j is as if it were not there", async (next) => {
  const { status, headers } = await subscribe(next);
  expect([status, headers.get("location")]).toEqual([303, "../../thanks?kind=newsletter"]);
});

test("an application with a resume comes back, too, and a program gets its receipt", async () => {
  const sent = () => form({ ...applicant, resumeFile: pdf(), next: `${origin}/danke` });
  const { status, headers } = await postForm(service(), "applications.submit", sent().body as FormData);
  expect([status, headers.get("location")]).toEqual([303, `${origin}/danke`]);
  expect((await rest.send(service(), "applications.submit", sent())).status).toBe(200);
  expect((await rest.send(service(), "newsletter.subscribe", json({ ...reader, next: "/danke" }))).status).toBe(200);
});

describe("while a form is refused", () => {
  test("its return address stays with it, and the page's policy lets it lead there", async () => {
    const page = await subscribe(`${origin}/danke`, { email: "nobody" });
    expect([page.status, typedIn(page, "next")]).toEqual([400, `${origin}/danke`]);
    expect(page.headers.get("content-security-policy")).toContain(`form-action 'self' ${origin};`);
  });

  test.each(["https://evil.example/", "/\\evil"])("%s does not", async (next) => {
    const page = await subscribe(next, { email: "nobody" });
    expect([page.status, typedIn(page, "next")]).toEqual([400, undefined]);
    expect(page.headers.get("content-security-policy")).toContain("form-action 'self';");
  });
});

describe("SITE=off", () => {
  const bare = shared(() => startService({ env: { SITE: "off" } }));

  test("takes the front page away", async () => {
    expect((await visit(bare(), "/")).status).toBe(404);
    expect((await fetch(bare().url)).status).toBe(404);
  });

  test("leaves the forms, their script and the newsletter's pages, and no page links to the front page", async () => {
    for (const path of ["/forms.js", "/forms.css", "/forms/config.json", "/openapi.json"])
      expect([path, (await fetch(bare().url + path)).status]).toEqual([path, 200]);
    const refused = await postForm(bare(), "newsletter.subscribe", fields({ email: "nobody" }));
    const pages = [
      await visit(bare(), "/thanks?kind=newsletter"),
      await visit(bare(), "/newsletter/confirm?token=x"),
      await visit(bare(), "/docs"),
      await visit(bare(), "/nothing"),
      await visit(bare(), addresses["marketplace.inquiry"]),
      refused,
    ];
    expect(pages.map(({ status }) => status)).toEqual([200, 404, 200, 404, 405, 400]);
    for (const { text } of pages) expect(text).not.toMatch(/href="(?:\.\/|\/|(?:\.\.\/)+(?:#[a-z]*)?)"/);
  });
});
