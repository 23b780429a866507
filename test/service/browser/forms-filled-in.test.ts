// How the forms help while they are filled in, and what they keep.
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { describe, expect, test } from "vitest";
import { openBrowser, Visit } from "../../support/browser.ts";
import { bundlePage } from "../../support/bundle-page.ts";
import { manyOrFew, nightly } from "../../support/many-or-few.ts";
import { openHostSite } from "../../support/host-site.ts";
import { startService } from "../../support/service.ts";
import { shared } from "../../support/shared.ts";
import { fillApplication, resume } from "../../support/browser/people.ts";

const browser = shared(openBrowser);
const host = shared(openHostSite);
const service = shared(() => startService({ env: { CORS_ORIGINS: host().url } }));

async function visitForm(name: string, { lang = "en" } = {}): Promise<{ visit: Visit; form: Locator }> {
  host().show({
    lang,
    body: `<${name} packages='["de-AT","en-GB"]'></${name}><script type="module" src="${service().url}/forms.js"></script>`,
  });
  const visit = await Visit.begin(browser(), { permissions: ["clipboard-read", "clipboard-write"] });
  await visit.page.goto(host().url);
  const form = visit.page.locator(name);
  await form.locator("form").waitFor();
  return { visit, form };
}

describe("an e-mail address", () => {
  test("with a likely slip is suggested in another spelling, and taken as it is all the same; the receipt names it and leads back to it", async () => {
    const { visit, form } = await visitForm("newsletter-form");
    await using _ = visit;
    const field = form.getByLabel("E-mail address");
    await field.fill("ann@gmial.con");
    await field.blur();
    await form.getByRole("button", { name: "Did you mean ann@gmail.com?" }).click();
    await expect.poll(() => field.inputValue()).toBe("ann@gmail.com");
    await expect.poll(() => form.getByRole("button", { name: "Did you mean" }).count()).toBe(0);
    await field.fill("reader@gmial.com");
    await field.press("Enter");
    const receipt = form.getByRole("region", { name: "Check your inbox" });
    await expect.poll(() => receipt.innerText()).toContain("We sent a link to reader@gmial.com. Wrong address?");
    expect((await service().stored()).subscribers.map(({ email }) => email)).toContain("reader@gmial.com");
    await receipt.getByRole("button", { name: "Change it" }).click();
    await expect.poll(() => field.inputValue()).toBe("reader@gmial.com");
    await expect.poll(() => field.evaluate((input) => input.matches(":focus"))).toBe(true);
  });

  nightly(
    "with a likely slip gets its suggestion after the button is released, so that the button stays in place",
    async () => {
      const { visit, form } = await visitForm("inquiry-form");
      await using _ = visit;
      const { mouse } = visit.page;
      await visit.page.setViewportSize({ width: 1_000, height: 800 });
      await form.getByLabel("E-mail address").fill("ann@gmial.com");
      const button = form.getByRole("button", { name: "Send inquiry" });
      await button.hover();
      const place = await button.boundingBox();
      await mouse.down();
      expect(await button.boundingBox()).toEqual(place);
      await mouse.up();
      await form.getByRole("group", { name: "There are 2 things to fix" }).waitFor();
      await form.getByRole("button", { name: "Did you mean ann@gmail.com?" }).waitFor();

      // The labels of a pair stay side by side when one field has a problem.
      const top = async (text: string) => (await form.getByText(text, { exact: true }).boundingBox())?.y;
      await form.locator("#name-error").getByText("Enter your name.").waitFor();
      expect(await top("Your name")).toBe(await top("Company (optional)"));
    },
  );
});

test("a web address without a scheme is completed and sent with https, also from a page that is loaded again, which forgets a file", async () => {
  const { visit, form } = await visitForm("application-form");
  await using _ = visit;
  await fillApplication(form);
  await form.getByLabel("Portfolio").fill("example.org/ana");
  await form.getByLabel("Link to your resume").fill("example.org/cv");
  await expect.poll(() => form.getByLabel("Portfolio").inputValue()).toBe("https://example.org/ana");
  await form.locator("input[type=file]").setInputFiles(resume);
  await form.locator(".chosen").waitFor();
  await visit.page.reload();
  await form.getByLabel("Full name").waitFor();
  await expect.poll(() => form.getByLabel("Full name").inputValue()).toBe("Ana Souza");
  await expect.poll(() => form.locator(".chosen").isVisible()).toBe(false);
  await form.getByLabel("Link to your resume").press("Enter");
  await form.getByRole("region").waitFor();
  expect((await service().stored()).applications.at(-1)).toMatchObject({
    portfolioUrl: "https://example.org/ana",
    resumeUrl: "https://example.org/cv",
    resume: null,
  });
});

nightly(
  "the button that removes a file says one word, and its name says which file; letters are counted as the language writes numbers",
  async () => {
    const languages = [
      ["de", "Entfernen", "cv.pdf entfernen", "1.204 von 20.000 Zeichen"],
      ["en", "Remove", "Remove cv.pdf", "1,204 of 20,000 characters"],
    ] as const;
    for (const [lang, word, name, counted] of languages.slice(0, manyOrFew(2))) {
      const { visit, form } = await visitForm("application-form", { lang });
      await using _ = visit;
      await form.locator("input[type=file]").setInputFiles({ ...resume, name: "cv.pdf" });
      await expect.poll(() => form.getByRole("button", { name, exact: true }).innerText()).toBe(word);
      const letter = form.locator("#coverLetter");
      await letter.fill("😀".repeat(1_204));
      await form.getByText(counted).waitFor();
      await letter.fill("");
      await form.getByText(counted.slice(6)).waitFor({ state: "hidden" });
    }
  },
);

describe("a page that is loaded again", () => {
  test("keeps what was typed and ticked until it is accepted; the reference can be copied", async () => {
    const { visit, form } = await visitForm("inquiry-form");
    await using _ = visit;
    await form.getByRole("checkbox", { name: "en-GB" }).check();
    await form.getByLabel("Your name").fill("Ann Buyer");
    await form.getByLabel("E-mail address").fill("kept@example.org");
    await visit.page.reload();
    await form.getByRole("button", { name: "Send inquiry" }).waitFor();
    await expect.poll(() => form.getByRole("checkbox", { checked: true }).count()).toBe(1);
    await form.getByRole("button", { name: "Send inquiry" }).click();
    await form.getByRole("button", { name: "Copy" }).click();
    await form.getByRole("button", { name: "Copied" }).waitFor();
    const stored = (await service().stored()).inquiries.filter(({ email }) => email === "kept@example.org");
    expect(stored).toMatchObject([{ name: "Ann Buyer", selectedPackageIds: ["en-GB"] }]);
    await expect.poll(() => visit.page.evaluate(() => navigator.clipboard.readText())).toBe(stored[0]?.reference);
    await visit.page.reload();
    await form.getByRole("button", { name: "Send inquiry" }).waitFor();
    await expect.poll(() => form.getByLabel("Your name").inputValue()).toBe("");
    await expect.poll(() => visit.page.evaluate(() => sessionStorage.length)).toBe(0);
  });

  test("while it waits for its answer sends the same submission again, with its key", async () => {
    const { visit, form } = await visitForm("newsletter-form");
    await using _ = visit;
    const keys: (string | undefined)[] = [];
    await visit.page.route(/\/trpc\//, async (route) => {
      keys.push(route.request().headers()["idempotency-key"]);
      if (keys.length > 1) await route.continue();
    });
    await form.getByLabel("E-mail address").fill("again@example.org");
    const asked = visit.page.waitForRequest(/\/trpc\//);
    await form.getByRole("button", { name: "Subscribe" }).click();
    await asked;
    await visit.page.reload();
    await form.getByRole("button", { name: "Subscribe" }).click();
    await form.getByRole("region").waitFor();
    expect(keys).toHaveLength(2);
    expect(keys[0]).toBe(keys[1]);
  });

  nightly("keeps its ticks while the packages are still loading", async () => {
    host().show({
      body: `<inquiry-form></inquiry-form><script type="module" src="${service().url}/forms.js"></script>`,
    });
    await using visit = await Visit.begin(browser());
    const { page } = visit;
    let packagesMayCome = Promise.resolve();
    await page.route(/\/forms\/config\.json$/, async (route) => {
      await packagesMayCome;
      await route.fulfill({ json: { packages: [{ id: "de-AT", title: "Austrian German" }], proofOfWork: false } });
    });
    const form = page.locator("inquiry-form");
    const box = form.getByRole("checkbox", { name: "Austrian German" });
    await page.goto(host().url);
    await box.check();

    const { promise, resolve: letPackagesCome } = Promise.withResolvers<void>();
    packagesMayCome = promise;
    await page.reload();
    await form.getByLabel("Your name").fill("Ann Buyer");
    await expect.poll(() => box.count()).toBe(0);
    letPackagesCome();
    await box.waitFor();
    await expect.poll(() => box.isChecked()).toBe(true);
    await page.reload();
    await box.waitFor();
    await expect.poll(() => box.isChecked()).toBe(true);
    await expect.poll(() => form.getByLabel("Your name").inputValue()).toBe("Ann Buyer");
  });

  nightly("keeps apart the forms of several shadow roots", async () => {
    const inShadow = (id: string) =>
      `<div id="${id}"><template shadowrootmode="open"><newsletter-form></newsletter-form></template></div>`;
    host().show({
      body: `${inShadow("top")}${inShadow("foot")}<script type="module" src="${service().url}/forms.js"></script>`,
    });
    await using visit = await Visit.begin(browser());
    const address = (id: string) => visit.page.locator(`#${id}`).getByLabel("E-mail address");
    await visit.page.goto(host().url);
    await address("top").fill("top@example.org");
    await address("foot").fill("foot@example.org");
    await visit.page.reload();
    await address("foot").waitFor();
    expect([await address("top").inputValue(), await address("foot").inputValue()]).toEqual([
      "top@example.org",
      "foot@example.org",
    ]);
  });
});

describe("forms that another project has bundled", () => {
  const visitBundled = async (body: string): Promise<Visit> => {
    const script = await bundlePage(join(import.meta.dirname, "../../../client/src/forms/forms.ts"));
    host().show({ body: `${body}<script type="module">${script}</script>` });
    const visit = await Visit.begin(browser());
    await visit.page.goto(host().url);
    return visit;
  };

  nightly("without an endpoint say so in the console, and send nothing", async () => {
    await using visit = await visitBundled("<newsletter-form></newsletter-form>");
    visit.expectProblems(/<newsletter-form> sends nothing: its attribute "endpoint" is missing/);
    const sent: string[] = [];
    visit.page.on("request", (request) => sent.push(request.url()));
    const form = visit.page.locator("newsletter-form");
    await form.getByLabel("E-mail address").fill("nowhere@example.org");
    await form.getByRole("button", { name: "Subscribe" }).click();
    await form.getByRole("heading", { name: "Your form was not sent" }).waitFor();
    expect(sent).toEqual([]);
  });
});
