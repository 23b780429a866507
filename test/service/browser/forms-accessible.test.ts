// Whether everybody can use the forms: what axe finds in every state, in light and dark; small screens; few movements.
import type { Locator, Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { barriersOf, onlyColours, openBrowser, Visit } from "../../support/browser.ts";
import { manyOrFew, nightly } from "../../support/many-or-few.ts";
import { openHostSite } from "../../support/host-site.ts";
import { startService } from "../../support/service.ts";
import { shared } from "../../support/shared.ts";
import { fillApplication, fillInquiry, pdfOf, resume } from "../../support/browser/people.ts";

const browser = shared(openBrowser);
const host = shared(openHostSite);
const catalogue = new URL("../../fixtures/catalogue.json", import.meta.url).pathname;
const service = shared(() => startService({ env: { CORS_ORIGINS: host().url, PACKAGE_CATALOGUE: catalogue } }));

beforeAll(() => {
  host().show({
    body: `<style>:root { color-scheme: light dark } body { background: Canvas; color: CanvasText }</style><main><h1>Forms</h1>
      <inquiry-form></inquiry-form><newsletter-form></newsletter-form><application-form></application-form></main>
      <script type="module" src="${service().url}/forms.js"></script>`,
  });
});

interface Forms {
  readonly inquiry: Locator;
  readonly newsletter: Locator;
  readonly application: Locator;
}

async function formsOf(page: Page): Promise<Forms> {
  await page.goto(host().url);
  const inquiry = page.locator("inquiry-form");
  await inquiry.getByRole("checkbox").first().waitFor();
  return { inquiry, newsletter: page.locator("newsletter-form"), application: page.locator("application-form") };
}

const submit = (form: Locator) => form.locator(".send [type=submit]").click();

async function sendAllEmpty({ inquiry, newsletter, application }: Forms): Promise<void> {
  for (const form of [inquiry, newsletter, application]) await submit(form);
  await application.locator("input[type=file]").setInputFiles({ ...resume, name: "resume.docx" });
  await application.locator("#resumeFile-error").getByText("but it is a PDF file").waitFor();
}

async function sendAll({ inquiry, newsletter, application }: Forms): Promise<void> {
  await fillInquiry(inquiry);
  await newsletter.getByLabel("E-mail address").fill("reader@example.org");
  await fillApplication(application);
  await application.locator("input[type=file]").setInputFiles({ ...resume });
  for (const form of [inquiry, newsletter, application]) {
    await submit(form);
    await form.getByRole("region").waitFor();
  }
}

/** What axe finds, moderate and minor things too, in light colours, and at night what is different in dark ones. */
async function findings(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of (["light", "dark"] as const).slice(0, manyOrFew(2))) {
    await page.emulateMedia({ colorScheme });
    for (const { id, nodes } of await barriersOf(page, colorScheme === "light" ? {} : onlyColours))
      found.push(...nodes.map(({ target }) => `${colorScheme} ${id}: ${JSON.stringify(target)}`));
  }
  return found;
}

test("axe finds nothing in any state", async () => {
  await using visit = await Visit.begin(browser());
  const { page } = visit;
  const forms = await formsOf(page);
  expect(await findings(page), "empty").toEqual([]);
  await sendAllEmpty(forms);
  expect(await findings(page), "with problems").toEqual([]);
  await sendAll(forms);
  expect(await findings(page), "sent").toEqual([]);
});

nightly("axe finds nothing while a resume is on its way, nor when it did not arrive", async () => {
  await using visit = await Visit.begin(browser());
  visit.expectProblems(/Failed to load resource/);
  const { page } = visit;
  const { application } = await formsOf(page);
  await fillApplication(application);
  await application.locator("input[type=file]").setInputFiles(pdfOf(100_000));
  // Held on its way until it has been looked at.
  const held = Promise.withResolvers<void>();
  await page.route(/\/trpc\//, async (route) => {
    await held.promise;
    await route.abort("connectionreset");
  });
  const failed = page.waitForEvent("requestfailed", { timeout: 0 });
  failed.catch(() => {});
  await page.clock.install();
  await submit(application);
  await application.getByRole("button", { name: "Cancel" }).waitFor();
  expect(await findings(page)).toEqual([]);
  held.resolve();
  await failed;
  // The 15 seconds in which the form tries again by itself.
  await page.clock.fastForward(20_000);
  await application.getByRole("button", { name: "Try again" }).waitFor();
  expect(await findings(page)).toEqual([]);
});

nightly(
  "at 320 pixels nothing is cut off, scrolls sideways or moves for those who do not want it, and everything to press is 24 pixels high and wide",
  async () => {
    await using visit = await Visit.begin(browser(), {
      viewport: { width: 320, height: 600 },
      reducedMotion: "reduce",
    });
    const { page } = visit;
    const forms = await formsOf(page);
    await sendAllEmpty(forms);
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
    const small = await page.evaluate(() =>
      [...document.querySelectorAll("inquiry-form, newsletter-form, application-form")].flatMap((element) =>
        [...element.shadowRoot!.querySelectorAll<HTMLElement>("button, input:not([type=hidden]), textarea")]
          .filter((control) => control.closest(".trap") === null && control.checkVisibility())
          // A box is ticked by pressing anywhere on its line.
          .map((control) => control.closest<HTMLElement>(".box") ?? control)
          .map((control) => ({ name: control.outerHTML.slice(0, 80), box: control.getBoundingClientRect() }))
          .filter(({ box }) => box.width < 24 || box.height < 24),
      ),
    );
    expect(small).toEqual([]);
    const moving = await page.evaluate(() =>
      [...document.querySelector("application-form")!.shadowRoot!.querySelectorAll("*")]
        .map((element) => getComputedStyle(element))
        .filter(({ transitionDuration, animationName }) => transitionDuration !== "0s" || animationName !== "none"),
    );
    expect(moving).toEqual([]);
  },
);
