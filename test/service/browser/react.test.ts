// The React components and the hook in a real browser: rendered on a server, hydrated, filled in and sent.
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { beforeAll, describe, expect, test } from "vitest";
import { openBrowser, Visit } from "../../support/browser.ts";
import { bundlePage } from "../../support/bundle-page.ts";
import { nightly } from "../../support/many-or-few.ts";
import { openHostSite } from "../../support/host-site.ts";
import { startService, type Service } from "../../support/service.ts";
import { shared } from "../../support/shared.ts";
import { littleWork, proveWork } from "../../support/solve-challenge.ts";
import { resume } from "../../support/browser/people.ts";
import { Page } from "../../support/browser/react/page.ts";

const entry = join(import.meta.dirname, "../../support/browser/react/in-a-browser.ts");

const browser = shared(openBrowser);
const host = shared(openHostSite);
const catalogue = new URL("../../fixtures/catalogue.json", import.meta.url).pathname;
const service = shared(() => startService({ env: { CORS_ORIGINS: host().url, PACKAGE_CATALOGUE: catalogue } }));
let script: string;

beforeAll(async () => {
  script = await bundlePage(entry);
  host().show(pageFor(service()));
});

function pageFor({ url }: Service) {
  const markup = renderToString(createElement(Page, { endpoint: url }));
  return { body: `<div id="root" data-endpoint="${url}">${markup}</div><script type="module">${script}</script>` };
}

async function visitPage(url = host().url): Promise<Visit> {
  const visit = await Visit.begin(browser());
  await visit.page.goto(url);
  await visit.page.locator("html[data-alive]").waitFor();
  return visit;
}

const one = shared(() => visitPage());

async function fill(form: Locator, email: string): Promise<void> {
  await form.getByRole("checkbox", { name: "Scottish English" }).check();
  await form.getByLabel("Name of the buyer").fill("Ann Buyer");
  await form.getByLabel("E-mail address").fill(email);
}

const said = ({ page }: Visit) => page.getByLabel("Said");

describe("a component", () => {
  nightly("is a form before any script, in its language and with its packages and values", async () => {
    await using visit = await Visit.begin(browser(), { javaScriptEnabled: false });
    await visit.page.goto(host().url);
    const inquiry = visit.page.locator("inquiry-form");
    await expect.poll(() => inquiry.getByRole("checkbox", { name: "Scottish English" }).isVisible()).toBe(true);
    await expect.poll(() => inquiry.getByLabel("Company").inputValue()).toBe("Vozes");
    await expect
      .poll(() => inquiry.locator("form").getAttribute("action"))
      .toBe(`${service().url}/api/marketplace/inquiry`);
    const application = visit.page.locator("application-form");
    await expect
      .poll(() => application.getByRole("link", { name: "privacy notice" }).getAttribute("href"))
      .toBe("/privacy");
    await expect.poll(() => application.locator("input[name=consentText]").inputValue()).toBe("2026-11");
    await expect
      .poll(() => visit.page.locator("newsletter-form").getByRole("button", { name: "Abonnieren" }).isVisible())
      .toBe(true);
  });

  test("keeps what was typed when it is rendered again, and its handlers see the state of the page", async () => {
    const { page } = one();
    const inquiry = page.locator("inquiry-form");
    const send = inquiry.getByRole("button", { name: "Send inquiry" });
    await page.getByRole("link", { name: "Privacy", exact: true }).waitFor();
    await page.getByRole("button", { name: "Count 0" }).click();
    await send.click();
    await said(one()).getByText("3 problems at 1").waitFor();
    await fill(inquiry, "react@example.org");
    await page.getByRole("button", { name: "Count 1" }).click();
    await send.click();
    await inquiry.getByRole("region", { name: "Your inquiry has been sent" }).waitFor();
    const [stored] = (await service().stored()).inquiries;
    expect(stored).toMatchObject({ company: "Vozes", selectedPackageIds: ["en-GB-scottish"] });
    await expect.poll(() => said(one()).innerText()).toBe(`${stored?.reference} at 2`);
  });

  test("keeps what was typed before it is hydrated", async () => {
    await using visit = await Visit.begin(browser());
    await visit.page.goto(`${host().url}#late`);
    const inquiry = visit.page.locator("inquiry-form:defined");
    await inquiry.getByLabel("Company").fill("Typed Ltd");
    await fill(inquiry, "early@example.org");
    await visit.page.evaluate(() => dispatchEvent(new Event("hydrate")));
    await visit.page.locator("html[data-alive]").waitFor();
    const texts = ["Company", "Name of the buyer", "E-mail address"].map((name) =>
      inquiry.getByLabel(name).inputValue(),
    );
    expect(await Promise.all(texts)).toEqual(["Typed Ltd", "Ann Buyer", "early@example.org"]);
    await expect.poll(() => inquiry.getByRole("checkbox", { name: "Scottish English" }).isChecked()).toBe(true);
  });
});

describe("useSubmission", () => {
  const own = ({ page }: Visit) => page.getByRole("form", { name: "Own inquiry" });

  test("shows what the schema refuses at its field, until the field changes", async () => {
    const form = own(one());
    await form.getByLabel("Own name").fill("Ann");
    await form.getByLabel("Own address").fill("ann");
    await form.getByRole("button", { name: "Ask", exact: true }).click();
    await form.getByText("Enter one e-mail address, like name@example.org.").waitFor();
    await expect.poll(() => form.getByLabel("Own address").getAttribute("aria-invalid")).toBe("true");
    await form.getByLabel("Own address").fill("ann@");
    await form.getByText("Enter one e-mail address, like name@example.org.").waitFor({ state: "detached" });
  });

  nightly("shows what the service refuses at its field", async () => {
    one().expectProblems(/400/);
    const form = own(one());
    await form.getByLabel("Own name").fill("Ann");
    await form.getByLabel("Own address").fill("hook@example.org");
    await form.getByRole("button", { name: "Ask for nothing" }).click();
    await form.getByRole("button", { name: "Ask", exact: true }).click();
    await form.getByText("is not a package we offer").waitFor();
    await form.getByLabel("Own status").getByText("refused").waitFor();
    await form.getByRole("button", { name: "Begin anew" }).click();
  });

  test("sends equal content once, and begins anew with the default values", async () => {
    const { page } = one();
    const clicked = Promise.withResolvers<void>();
    await page.route("**/trpc/marketplace.inquiry", async (route) => {
      await clicked.promise;
      await route.continue();
    });
    const form = own(one());
    const ask = form.getByRole("button", { name: "Ask", exact: true });
    const accepted = form.getByLabel("Own status").getByText("accepted INQ-");
    const stored = async () => (await service().stored()).inquiries.filter(({ email }) => email === "own@example.org");
    const fillIn = async () => {
      await form.getByLabel("Own name").fill("Ann");
      await form.getByLabel("Own address").fill("own@example.org");
    };
    await fillIn();
    await ask.dblclick();
    clicked.resolve();
    await accepted.waitFor();
    // The service answers quicker than some people click twice.
    const answered = page.waitForResponse("**/trpc/marketplace.inquiry");
    await ask.click();
    await answered;
    await accepted.waitFor();
    expect(await stored()).toMatchObject([{ selectedPackageIds: ["de-AT"], more: { message: "From a hook" } }]);

    await form.getByRole("button", { name: "Begin anew" }).click();
    await expect.poll(() => form.getByLabel("Own name").inputValue()).toBe("");
    await fillIn();
    await ask.click();
    await accepted.waitFor();
    expect(await stored()).toHaveLength(2);
    await page.unrouteAll();
  });

  nightly("says why when the service asks for a proof of work, and sends the one it is given", async () => {
    await using askingHost = await openHostSite();
    await using asking = await startService({ env: { CORS_ORIGINS: askingHost.url, ...littleWork } });
    askingHost.show(pageFor(asking));
    await using visit = await visitPage(askingHost.url);
    visit.expectProblems(/400/);
    const form = own(visit);
    await form.getByLabel("Own name").fill("Ann");
    await form.getByLabel("Own address").fill("proof@example.org");
    await form.getByRole("button", { name: "Ask", exact: true }).click();
    await form.getByLabel("Own status").getByText("refused We could not verify that you are human.").waitFor();
    expect((await asking.stored()).inquiries).toEqual([]);

    await form.getByLabel("Own proof").fill(await proveWork(asking));
    await form.getByRole("button", { name: "Ask", exact: true }).click();
    await form.getByLabel("Own status").getByText("accepted INQ-").waitFor();
    expect((await asking.stored()).inquiries).toMatchObject([{ email: "proof@example.org" }]);
  });

  nightly("sends a resume with its progress", async () => {
    const section = one().page.getByRole("region", { name: "Own application" });
    await section.getByLabel("Own resume").setInputFiles(resume);
    await section.getByRole("button", { name: "Apply" }).click();
    await section
      .getByLabel("Application status")
      .getByText(/accepted 100 APP-/)
      .waitFor();
    const { applications } = await service().stored();
    expect(applications.map((stored) => stored.resume?.filename)).toContain(resume.name);
  });

  test("can be cancelled, and sent again", async () => {
    const held = Promise.withResolvers<void>();
    await one().page.route("**/trpc/applications.submit", async (route) => {
      await held.promise;
      await route.continue().catch(() => {});
    });
    const section = one().page.getByRole("region", { name: "Own application" });
    await section.getByRole("button", { name: "Apply" }).click();
    await section.getByLabel("Application status").getByText("sending").waitFor();
    await section.getByRole("button", { name: "Stop" }).click();
    await section.getByLabel("Application status").getByText("idle").waitFor();
    held.resolve();
    await section.getByRole("button", { name: "Apply" }).click();
    await section.getByLabel("Application status").getByText("accepted").waitFor();
    await one().page.unrouteAll();
  });
});
