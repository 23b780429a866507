// What a refused form shows again: everything, within the limits of its fields, and never as markup.
import { faults, type FaultName, type Issue } from "@submissions/shared/faults";
import { formNames, forms, type FormName } from "@submissions/shared/forms/form-fields";
import { textLengthMax } from "@submissions/shared/limits";
import type { FastifyRequest } from "fastify";
import { describe, expect, test } from "vitest";
import { refusalPage } from "./refusal-page.ts";
import { Fault } from "../../fault.ts";
import { samplePackages } from "../../config/catalogue.ts";
import { builtInLanguages } from "../../config/languages.ts";
import { siteOf } from "./site.ts";

const site = siteOf({
  version: "0.1.0",
  brand: "Example Speech",
  packages: samplePackages,
  intake: {
    packageTitles: null,
    openings: null,
    clock: { now: () => 0 },
    newsletterOptIn: "double",
    proofOfWork: null,
  },
  languages: builtInLanguages,
  privacy: null,
  corsOrigins: [],
  hasFrontPage: true,
  publicUrl: () => "https://submissions.example.org",
  origin: () => "https://submissions.example.org",
  bundle: null,
});

const requestTo = (url: string, method = "POST") =>
  ({ url, method, routeOptions: { url: url.replace(/\?.*/, "") } }) as FastifyRequest;

function pageOf(
  form: FormName,
  fields: Record<string, string | readonly string[]>,
  issues: readonly Issue[] = [],
  further: [string, unknown][] = [],
) {
  const { resumeFile, ...texts } = fields;
  const sent = { fields: new FormData(), further, resume: resumeFile === undefined ? null : ({} as never) };
  for (const [name, value] of Object.entries(texts)) for (const one of [value].flat()) sent.fields.append(name, one);
  return refusalPage(site, requestTo(forms[form].path), new Fault("fieldsInvalid", { issues }), sent);
}

describe("the size of a page", () => {
  const hostile = `<&"'`;
  test.each(formNames)("of the %s form is bounded", (form) => {
    const names = Object.entries(forms[form].fields).flatMap(([name, { kind }]) => (kind === "file" ? [] : [name]));
    const filled = (length: number) =>
      pageOf(
        form,
        Object.fromEntries([...names, "source", "idempotencyKey"].map((name) => [name, hostile.repeat(length / 4)])),
      );
    const page = filled(100_000);
    expect(page.length).toBeLessThan(200_000);
    expect(filled(200_000).length).toBe(page.length);
    expect(page).toContain("Only its beginning is shown.");
  });

  test("does not grow with the number of packages", () => {
    const ids = Array.from({ length: 5_000 }, (_, index) => `own-${index}`);
    const [large, small] = [ids, ids.slice(0, 51)].map((some) => pageOf("inquiry", { selectedPackageIds: some }));
    expect(large!.length).toBe(small!.length);
  });

  test("is that of the texts where all of them are within their limits", () => {
    const page = pageOf("application", { fullName: "😀".repeat(textLengthMax.name), phone: "1".repeat(40) });
    expect(page).toContain("😀".repeat(textLengthMax.name));
    expect(page).not.toContain("Only its beginning is shown.");
  });

  test("cuts between characters, not inside of one", () => {
    const page = pageOf("application", { fullName: `a${"😀".repeat(textLengthMax.name)}` });
    expect(page).toContain(`value="a${"😀".repeat(textLengthMax.name - 1)}"`);
    expect(page.isWellFormed()).toBe(true);
  });
});

describe("fields of a page's own", () => {
  const hiddenIn = (page: string) =>
    [...page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]);

  test("are kept unseen and escaped, within the limits of further fields, and none replaces one of ours", () => {
    const hostile = `"><script>alert(1)</script>`;
    const many = Array.from({ length: 30 }, (_, index): [string, string] => [`x${index}`, "y".repeat(100)]);
    const page = pageOf(
      "application",
      { fullName: "Ana" },
      [],
      [
        ["budget", hostile],
        ["constructor", "a"],
        ["message", "Dear team"],
        ["long", "z".repeat(textLengthMax.furtherValue + 1)],
        ["idempotencyKey", "their-key"],
        ["next", "https://evil.example"],
        [`"><b>`, "1"],
        ...many,
      ],
    );
    const hidden = hiddenIn(page);
    expect(hidden.slice(0, 3)).toEqual([
      ["budget", "&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"],
      ["constructor", "a"],
      ["message", "Dear team"],
    ]);
    expect(hidden.filter(([name]) => name !== "idempotencyKey")).toHaveLength(20);
    expect(page).not.toMatch(/their-key|evil\.example|zzz|"><b>|alert\(1\)</);
  });

  test("the message of an inquiry is shown in its field, its beginning where it is too long", () => {
    const [page, long] = ["Dear <team>", "m".repeat(3_000)].map((text) =>
      pageOf(
        "inquiry",
        { name: "" },
        [],
        [
          ["message", text],
          ["utm_source", "ad"],
        ],
      ),
    );
    expect(page).toMatch(/<textarea[^>]*name="message"[^>]*>\nDear &lt;team&gt;</);
    expect(hiddenIn(page!)).toContainEqual(["utm_source", "ad"]);
    expect(hiddenIn(page!).map(([name]) => name)).not.toContain("message");
    expect(long).toContain(`>\n${"m".repeat(textLengthMax.furtherValue)}<`);
    expect(long).toContain("Only its beginning is shown.");
  });
});

describe("other refusals", () => {
  const plain = (fault: FaultName, url: string, method = "GET") =>
    refusalPage(site, { ...requestTo(url, method), routeOptions: {} } as FastifyRequest, new Fault(fault), null);

  test.each<[FaultName, string]>([
    ["notFound", "Page not found"],
    ["methodNotSupported", "This address is not a page"],
    ["crossSiteForbidden", "This form was not accepted"],
    ["rateLimited", "Please wait a moment"],
    ["internal", "Something went wrong"],
    ["overloaded", "Please try again in a moment"],
    ["contentTypeUnsupported", "That did not work"],
  ])("%s have the brand, a heading, and a way on", (fault, heading) => {
    const page = plain(fault, "/some/where");
    expect(page).toContain(`<h1>${heading}</h1>`);
    expect(page).toContain(faults[fault].message);
    expect(page).toMatch(/class="brand"><a href="\.\.\/">Example Speech</);
    expect(page).toMatch(/class="on"><a href="\.\.\/">Go to the front page</);
  });

  test.each<[FaultName, string]>([
    ["signedOut", "/console/resumes/APP-20261123-565235"],
    ["oidcRefused", "/console/oidc/callback?code=x"],
    ["consoleOnly", "/console/exports/audit.csv"],
  ])("%s leads an operator to the console", (fault, url) => {
    const page = plain(fault, url);
    expect(page).toContain('class="on"><a href="../../console">Go to the console</a>');
    expect(page).not.toContain("form");
  });

  test.each<[string, string]>([
    ["/nothing", "./"],
    ["/a/b/c", "../../"],
    ["/a?b=/c/d", "./"],
    [`/${"a/".repeat(200)}`, "/"],
  ])("%s finds the way back to %s", (url, home) => {
    expect(plain("notFound", url)).toContain(`class="on"><a href="${home}"`);
  });

  test("of a form that was not read lead to the form on the site", () => {
    const page = refusalPage(site, requestTo(forms.application.path), new Fault("crossSiteForbidden"), null);
    expect(page).toContain("<h1>Your application has not been sent yet</h1>");
    expect(page).toContain('href="../../#careers"');
  });
});
