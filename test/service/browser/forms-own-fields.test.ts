// Forms with fields of a page's own: in a plain page, without script, rendered by a server, and in React; and the list of
// openings.
import { join } from "node:path";
import { english, formMarkup } from "@submissions/client/markup";
import { InquiryForm, type InquiryFormProps } from "@submissions/client/react";
import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { expect, test } from "vitest";
import { openBrowser, Visit } from "../../support/browser.ts";
import { openHostSite } from "../../support/host-site.ts";
import { startService } from "../../support/service.ts";
import { shared } from "../../support/shared.ts";
import { nightly } from "../../support/many-or-few.ts";

const fixture = (name: string) => join(import.meta.dirname, "../../fixtures", name);
const browser = shared(openBrowser);
const host = shared(openHostSite);
const service = shared(() =>
  startService({
    env: { CORS_ORIGINS: host().url, OPENINGS: fixture("openings.json"), LANGUAGES: fixture("languages") },
  }),
);

const fields = [
  {
    name: "budget",
    label: { en: "Budget", fr: "Budget prévu" },
    type: "select",
    options: ["small", { value: "large", label: "Large" }],
    required: true,
  },
  { name: "project", label: "Project", maximum: 10 },
  { name: "needs[]", label: "Needs", type: "textarea" },
  { name: "call", label: "Please call me", type: "checkbox" },
  { name: "utm_*", type: "hidden" },
  // None of these may be declared: a field of ours, guards, and what a framework sends.
  { name: "email", label: "Stolen", type: "hidden", value: "thief@example.org" },
  { name: "website", type: "hidden", value: "x" },
  { name: "lang", type: "hidden", value: "de" },
  { name: "_method", type: "hidden", value: "put" },
] as const;

const script = () => `<script type="module" src="${service().url}/forms.js"></script>`;
const attribute = (value: unknown) => JSON.stringify(value).replaceAll("'", "&#39;");

async function visitBody(body: string, query = "", options = {}): Promise<Visit> {
  host().show({ body });
  const visit = await Visit.begin(browser(), options);
  await visit.page.goto(`${host().url}/${query}`);
  return visit;
}

const latest = async () => (await service().stored()).inquiries.at(-1);

test("a plain page asks for five fields of its own, and none of them replaces one of ours", async () => {
  const body = `<inquiry-form packages='["de-AT"]' fields='${attribute(fields)}'></inquiry-form>${script()}`;
  await using visit = await visitBody(body, "?utm_source=ad&utm_campaign=may&other=1");
  const form = visit.page.locator("inquiry-form");
  await form.getByRole("checkbox", { name: "de-AT" }).check();
  await form.getByLabel("Your name").fill("Ann Buyer");
  await form.getByLabel("E-mail address").fill("ann@example.org");
  await form.getByLabel("Project").fill("much too long");
  await form.getByRole("button", { name: "Send inquiry" }).click();
  await form.getByRole("link", { name: "Budget: This field is required." }).click();
  await expect.poll(() => form.getByLabel("Budget").evaluate((one) => one.matches(":focus"))).toBe(true);
  await form.getByText("Project: At most 10 characters.").waitFor();
  await form.getByLabel("Budget").selectOption({ label: "Large" });
  await form.getByLabel("Project").fill("Voices");
  await form.getByLabel("Needs").fill("one\ntwo");
  await form.getByRole("checkbox", { name: "Please call me" }).check();
  // What a person pastes is not cut: the form says that it is too long.
  const letter = form.getByLabel("Message");
  await form.locator("[data-field=message] .hint").filter({ hasText: "At most 2,000 characters." }).waitFor();
  await letter.focus();
  await visit.page.keyboard.insertText("x".repeat(2_001));
  await form.getByText("2,001 of 2,000 characters").waitFor();
  await form.getByRole("button", { name: "Send inquiry" }).click();
  await form.getByRole("link", { name: "Message: At most 2,000 characters." }).waitFor();
  await letter.fill("Dear team,\nhello.");
  await form.getByRole("button", { name: "Send inquiry" }).click();
  await form.getByText("We write to ann@example.org.").waitFor();
  expect(await latest()).toMatchObject({
    email: "ann@example.org",
    language: "en",
    status: "new",
    more: {
      budget: "large",
      project: "Voices",
      "needs[]": "one\ntwo",
      call: "yes",
      message: "Dear team,\nhello.",
      utm_source: "ad",
      utm_campaign: "may",
    },
  });
  expect(Object.keys((await latest())?.more ?? {})).toHaveLength(7);
});

nightly("the message can be left out, and packages='[]' is no question", async () => {
  const own = attribute([{ name: "message", type: "none" }]);
  const values = attribute({ selectedPackageIds: ["de-AT"] });
  const body = `<inquiry-form packages='[]' values='${values}' fields='${own}'></inquiry-form>${script()}`;
  await using visit = await visitBody(body);
  const form = visit.page.locator("inquiry-form");
  await form.getByLabel("Your name").fill("Ben Buyer");
  await form.getByLabel("E-mail address").fill("ben@example.org");
  expect(await form.locator("textarea, [type=checkbox]").count()).toBe(0);
  await form.getByRole("button", { name: "Send inquiry" }).click();
  await form.getByRole("region", { name: "Your inquiry has been sent" }).waitFor();
  expect(await latest()).toMatchObject({ name: "Ben Buyer", selectedPackageIds: ["de-AT"], more: null });
});

nightly(
  "identifiers that a framework's server wrote are the packages, and attributes that hold no list take no form away",
  async () => {
    const lists = ['packages="de-AT"', 'packages="de-AT,en-GB"', 'packages="[object Object],[object Object]"'];
    // JSON as a page may write it that knows no types.
    const loose = [
      `packages='[null, 7, { "id": "de-AT" }, {}]'`,
      `fields='[null, 7, { "name": "constructor", "type": "select", "options": "one" },
      { "name": "size", "type": "select", "options": [null, 2] }]'`,
      'endpoint="http://"',
    ];
    const body = [...lists, `fields='{"name":"budget"}'`, ...loose].map(
      (one) => `<inquiry-form ${one}></inquiry-form>`,
    );
    await using visit = await visitBody(`${body.join("")}${script()}`);
    visit.expectProblems(
      /The attribute packages must hold JSON/,
      /The attribute fields must hold JSON/,
      /its attribute "endpoint" is missing/,
    );
    const forms = visit.page.locator("inquiry-form");
    const offered = (at: number) =>
      forms
        .nth(at)
        .getByRole("checkbox")
        .evaluateAll((boxes) => boxes.map((box) => (box as HTMLInputElement).value));
    await forms.nth(3).getByRole("checkbox").first().waitFor();
    expect(await Promise.all([0, 1, 2, 4].map(offered))).toEqual([["de-AT"], ["de-AT", "en-GB"], [], ["7", "de-AT"]]);
    await forms.nth(4).getByRole("checkbox", { name: "7" }).check();
    const [constructors, sizes] = await forms
      .nth(5)
      .locator("select")
      .evaluateAll((all) => all.map((one) => [...(one as HTMLSelectElement).options].map(({ value }) => value)));
    expect([constructors, sizes]).toEqual([
      ["", "one"],
      ["", "2"],
    ]);
    await forms.nth(6).getByRole("button", { name: "Send inquiry" }).waitFor();

    // A name that every object has holds what was chosen, and nothing else.
    const form = forms.nth(5);
    await form.getByLabel("constructor").selectOption("one");
    await form.getByLabel("Your name").fill("Loose Buyer");
    await form.getByLabel("E-mail address").fill("loose@example.org");
    await form.getByRole("checkbox").first().check();
    await form.getByRole("button", { name: "Send inquiry" }).click();
    await form.getByRole("region", { name: "Your inquiry has been sent" }).waitFor();
    expect(await latest()).toMatchObject({ name: "Loose Buyer", more: { constructor: "one" } });
  },
);

test("a form that a server has rendered keeps its fields without script", async () => {
  const action = `${service().url}/api/marketplace/inquiry`;
  const state = { action, values: { utm_source: "mail" }, issues: [], strings: english, idempotencyKey: "" };
  const { text } = formMarkup("inquiry", { ...state, packages: [{ id: "de-AT", title: "Austrian" }], fields });
  const body = `<inquiry-form><template shadowrootmode="open">${text}</template></inquiry-form>`;
  await using visit = await visitBody(body, "", { javaScriptEnabled: false });
  const { page } = visit;
  await page.getByRole("checkbox", { name: "Austrian" }).check();
  await page.getByLabel("Your name").fill("Cem Buyer");
  await page.getByLabel("Budget").selectOption("small");
  // Without script the browser takes no more than the service keeps, and the form says so.
  await page.getByText("At most 2,000 characters.").first().waitFor();
  await page.getByLabel("Message").focus();
  await page.keyboard.insertText("x".repeat(2_001));
  expect((await page.getByLabel("Message").inputValue()).length).toBe(2_000);
  await page.getByLabel("Message").fill("Without script");
  await page.getByLabel("Project").focus();
  await page.keyboard.insertText("Voices of Wales");
  visit.expectProblems(/status of 400/);
  // A browser takes it for an address, the service does not.
  await page.getByLabel("E-mail address").fill("cem@localhost");
  await page.getByRole("button", { name: "Send inquiry" }).click();
  await page.getByRole("heading", { name: "Your inquiry has not been sent yet" }).waitFor();
  expect(await page.getByLabel("Message").inputValue()).toBe("Without script");
  await page.getByLabel("E-mail address").fill("cem@example.org");
  await page.getByRole("button", { name: "Send inquiry" }).click();
  await page.getByRole("heading", { name: "Your inquiry has been sent" }).waitFor();
  expect(await latest()).toMatchObject({
    name: "Cem Buyer",
    more: { budget: "small", project: "Voices of", message: "Without script", utm_source: "mail" },
  });
});

test("React renders the same fields on a server", () => {
  const props: InquiryFormProps = { endpoint: "https://a.example", packages: ["de-AT"], fields, lang: "de" };
  const html = renderToString(createElement(InquiryForm, props));
  expect(html).toContain('name="budget"');
  expect(html).toContain(">Nachricht");
  expect(html).not.toContain('value="thief@example.org"');
});

test("an application chooses an opening, or says which other position", async () => {
  // A list of the page's own is not taken for that of the openings.
  const body = `<application-form fields='${attribute(fields)}'></application-form>${script()}`;
  await using visit = await visitBody(body);
  const form = visit.page.locator("application-form");
  await form.locator("select[name=position]").waitFor();
  await form.getByLabel("Budget").selectOption("small");
  const position = form.getByLabel("Position you apply for");
  await position.selectOption({ label: "Accent annotator – Lisbon" });
  await form.getByLabel("Full name").fill("Ana Souza");
  await form.getByLabel("E-mail address").fill("ana@example.org");
  expect(await form.getByLabel("Which position?").isVisible()).toBe(false);
  await position.selectOption({ label: "Other" });
  await form.getByLabel("Which position?").fill("Cook");
  await form.getByRole("button", { name: "Send application" }).click();
  await form.getByText("We write to ana@example.org.").waitFor();
  expect((await service().stored()).applications).toMatchObject([{ position: "Cook", more: { budget: "small" } }]);
});
