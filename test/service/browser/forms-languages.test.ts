// The forms in a language of the installation's own: in pages of another origin, and in pages that are not told of it.
import { expect, test } from "vitest";
import { openBrowser, Visit } from "../../support/browser.ts";
import { openHostSite } from "../../support/host-site.ts";
import { startService, type Service } from "../../support/service.ts";
import { shared } from "../../support/shared.ts";

const LANGUAGES = new URL("../../fixtures/languages", import.meta.url).pathname;
const browser = shared(openBrowser);
const host = shared(openHostSite);
const french = shared(() => startService({ env: { CORS_ORIGINS: host().url, LANGUAGES } }));
const english = shared(() => startService({ env: { CORS_ORIGINS: host().url } }));

async function visitForms({ url }: Service, lang: string): Promise<Visit> {
  const body = `<inquiry-form></inquiry-form><script type="module" src="${url}/forms.js"></script>`;
  host().show({ lang, body });
  const visit = await Visit.begin(browser());
  await visit.page.goto(host().url);
  return visit;
}

test("a form in a French page is French, from its labels to its receipt, and says so", async () => {
  await using visit = await visitForms(french(), "fr-CA");
  const form = visit.page.locator("inquiry-form");
  await form.getByRole("button", { name: "Envoyer la demande" }).click();
  await form.getByText("Indiquez votre nom.").first().waitFor();
  await form.getByRole("checkbox", { name: "Austrian German" }).check();
  await form.getByLabel("Votre nom").fill("Anne Acheteuse");
  await form.getByLabel("Adresse électronique").fill("anne@example.org");
  await form.getByRole("button", { name: "Envoyer la demande" }).click();
  await form.getByRole("region", { name: "Votre demande est envoyée" }).waitFor();
  await expect.poll(() => form.getByText("Merci. Nous avons reçu votre demande").isVisible()).toBe(true);
  expect((await french().stored()).inquiries).toMatchObject([{ email: "anne@example.org", language: "fr" }]);
});

test("a form turns French when the page does", async () => {
  await using visit = await visitForms(french(), "de");
  const form = visit.page.locator("inquiry-form");
  await form.getByLabel("Ihr Name").fill("Anne");
  await visit.page.evaluate(() => (document.documentElement.lang = "fr"));
  await expect.poll(() => form.getByLabel("Votre nom").inputValue()).toBe("Anne");
});

test("a language that the service does not have is English", async () => {
  await using visit = await visitForms(english(), "fr");
  await visit.page.locator("inquiry-form").getByLabel("Your name").waitFor();
});
