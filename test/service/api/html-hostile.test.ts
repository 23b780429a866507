// What a stranger types into a form comes back as text, and only as text.
import { fieldsOf } from "@submissions/shared/forms/form-fields";
import { expect, test } from "vitest";
import { cases, type Case } from "../../support/corpora.ts";
import { manyOrFew } from "../../support/many-or-few.ts";
import { fields, postForm, tickedOn, typedIn, visit } from "../../support/pages.ts";
import { shared } from "../../support/shared.ts";
import { startService } from "../../support/service.ts";

const service = shared(() => startService());

const strings = cases<Case & { string: string }>("naughty/index.jsonl")
  .map(({ string }) => string)
  // What is not text is not shown again, and browsers change line breaks.
  .filter((string) => string.isWellFormed() && !/[\uFFFD\r\n]/.test(string));

/** No more of a field is shown than its limit. */
const shownMaxOf = (name: string) => fieldsOf("application").find((field) => field.name === name)?.rule?.lengthMax;

const tagsOf = (text: string) =>
  [...text.matchAll(/<\/?([a-z][\w-]*)/g)].map(([, tag]) => tag!).filter((tag) => !/^(?:ul|li|p|a)$/.test(tag));

test("in each field of a refused form, hostile strings stay what they are", { timeout: 300_000 }, async () => {
  expect(strings.length).toBeGreaterThan(100);
  const plain = await postForm(
    service(),
    "applications.submit",
    fields({ fullName: "A", phone: "x", coverLetter: "B" }),
  );
  // At night each string is in each field, otherwise in one of them.
  for (let at = 0; at < strings.length; at += 5 - manyOrFew(4)) {
    const string = strings[at]!;
    const [phone = "", company = "", coverLetter = ""] = strings.slice(at + 1);
    const sent = { fullName: string, phone: `x${phone}`, company, coverLetter };
    const page = await postForm(service(), "applications.submit", fields(sent));
    expect(page.status, string).toBe(400);
    for (const [name, value] of Object.entries(sent))
      expect(typedIn(page, name), `${name} ${string}`).toBe(Array.from(value).slice(0, shownMaxOf(name)).join(""));
    expect(tagsOf(page.text), string).toEqual(tagsOf(plain.text));
  }
  expect(await service().stored()).toEqual({ inquiries: [], applications: [], subscribers: [] });
});

test("names of fields, keys and packages are escaped in a page", async () => {
  const mark = `"><script>alert(1)</script><i x='`;
  const page = await postForm(
    service(),
    "marketplace.inquiry",
    fields({ [mark]: mark, name: mark, source: mark, idempotencyKey: mark, selectedPackageIds: mark, website: mark }),
  );
  expect(page.status).toBe(400);
  expect(page.text).not.toMatch(/<script>|<i\s/);
  expect(typedIn(page, "idempotencyKey")).toBe(mark);
  expect(typedIn(page, "selectedPackageIds")).toBe(mark);
});

test.each([
  "/thanks?kind=inquiry&reference=%3Cscript%3E",
  "/thanks?kind=inquiry&reference=INQ-20261121-042137%3Cb%3E",
  "/thanks?kind=inquiry&reference=INQ-20261121-042137&reference=%3Cscript%3E",
  "/thanks?kind=application&reference=INQ-20261121-042137",
  "/thanks?kind=newsletter&reference=APP-20261121-042137",
])("%s shows no reference at all", async (path) => {
  const { status, text } = await visit(service(), path);
  expect(status).toBe(200);
  expect(text).not.toMatch(/reference|<script|INQ-|APP-/);
});

test("thanks name no form where their address names none, or that of their reference", async () => {
  const { status, text } = await visit(service(), "/thanks");
  expect([status, text]).toEqual([200, expect.stringContaining("<h1>Thank you</h1>")]);
  const named = await visit(service(), "/thanks?reference=APP-20261121-042137");
  expect(named.text).toContain("<h1>Your application has been sent</h1>");
  expect(named.text).toContain("APP-20261121-042137");
});

test.each(["/thanks?kind=", "/thanks?kind=constructor", "/thanks?kind=inquiry&kind=inquiry"])(
  "%s is no page",
  async (path) => {
    const { status, headers, text } = await visit(service(), path);
    expect([status, headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
    expect(text).toContain("There is nothing at this address.");
  },
);

test("an address that does not exist is not repeated, however deep it is", async () => {
  for (const path of ["/%3Cscript%3Ealert(1)%3C/script%3E", "/a/b/<i>", `/${"a/".repeat(200)}x`, "/api/x?<b>"]) {
    const { status, headers, text } = await visit(service(), path);
    expect([status, headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
    expect(text).not.toMatch(/script|<i>|<b>/);
    expect(text.length).toBeLessThan(2_000);
  }
});

test("packages in the front page's address are ticked if they exist, and ignored if not", async () => {
  const page = await visit(service(), "/?package=de-AT&package=%3Cmark%3E");
  expect([page.status, tickedOn(page)]).toEqual([200, ["de-AT"]]);
  expect(page.text).not.toContain("mark>");
});
