// The site in a real browser with script: small, calm in the console, and accessible.
import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { openBrowser, Visit } from "../../support/browser.ts";
import { atNight, nightly } from "../../support/many-or-few.ts";
import { startService } from "../../support/service.ts";
import { shared } from "../../support/shared.ts";
import { welcomed } from "../../support/newsletter/reader.ts";
import { formsReady, hasNoSeriousBarrier, visitFrontPage } from "../../support/browser/people.ts";

const browser = shared(openBrowser);
const service = shared(() => startService());

test("the front page comes in less than 60 KB, all that it loads included, and from this service alone", async () => {
  await using visit = await Visit.begin(browser());
  const { page } = visit;
  const devtools = await visit.devtools();
  let bytes = 0;
  const addresses: string[] = [];
  await devtools.send("Network.enable");
  devtools.on("Network.loadingFinished", ({ encodedDataLength }) => (bytes += encodedDataLength));
  page.on("request", (request) => addresses.push(request.url()));
  await page.goto(service().url, { waitUntil: "networkidle" });
  await formsReady(page);
  expect(addresses.length).toBeGreaterThan(6);
  expect(addresses.filter((address) => new URL(address).origin !== service().url)).toEqual([]);
  expect(bytes).toBeGreaterThan(20_000);
  expect(bytes).toBeLessThan(60_000);
});

nightly("a card ticks its box without leaving the page, and what was typed stays", async () => {
  await using visit = await visitFrontPage(browser(), service());
  const { page } = visit;
  const form = page.locator("inquiry-form");
  await form.getByLabel("Your name").fill("Ann Buyer");
  await page.getByRole("link", { name: /Ask about it.*Yoruba/ }).click();
  const box = form.getByRole("checkbox", { name: "Yoruba" });
  await expect.poll(() => box.isChecked()).toBe(true);
  await expect.poll(() => box.evaluate((element) => element.matches(":focus"))).toBe(true);
  await page.getByRole("link", { name: /Ask about it.*Austrian German/ }).click();
  await page.getByRole("link", { name: /Ask about it.*Yoruba/ }).click();
  await expect.poll(() => form.getByRole("checkbox", { checked: true }).count()).toBe(2);
  await expect.poll(() => form.getByLabel("Your name").inputValue()).toBe("Ann Buyer");
  expect(new URL(page.url()).search).toBe("");
});

describe("a draft", () => {
  const ticked = (form: Locator) =>
    form
      .getByRole("checkbox", { checked: true })
      .evaluateAll((boxes) => boxes.map((box) => (box as HTMLInputElement).value));

  async function visitSite(visit: Visit, path: string): Promise<Locator> {
    await visit.page.goto(service().url + path);
    await formsReady(visit.page);
    return visit.page.locator("inquiry-form");
  }

  test("and a link that names a package are both in the form; a reload restores what was ticked since", async () => {
    await using visit = await Visit.begin(browser());
    const { page } = visit;
    const form = await visitSite(visit, "/");
    await form.getByLabel("Your name").fill("Ann Buyer");
    await form.getByRole("checkbox", { name: "Yoruba" }).check();
    const [yoruba] = await ticked(form);
    await visitSite(visit, "/?package=de-AT#inquiry");
    expect(new Set(await ticked(form))).toEqual(new Set([yoruba, "de-AT"]));
    await expect.poll(() => form.getByLabel("Your name").inputValue()).toBe("Ann Buyer");

    await form.getByRole("checkbox", { name: "Austrian German" }).uncheck();
    await page.reload();
    await formsReady(page);
    expect(await ticked(form)).toEqual([yoruba]);
    await form.getByRole("checkbox", { name: "Yoruba" }).uncheck();
    await page.reload();
    await formsReady(page);
    expect(await ticked(form)).toEqual([]);
    await expect.poll(() => form.getByLabel("Your name").inputValue()).toBe("Ann Buyer");
  });

  nightly("does not overwrite what was typed before the script came, and keeps it", async () => {
    await using visit = await Visit.begin(browser());
    const { page } = visit;
    const form = await visitSite(visit, "/");
    await form.getByLabel("Your name").fill("Ann Buyer");
    await form.getByLabel("Company").fill("Old Ltd");
    await form.getByRole("checkbox", { name: "Yoruba" }).check();
    const { promise: scriptMayCome, resolve: letScriptCome } = Promise.withResolvers<void>();
    await page.route("**/forms.js*", async (route) => {
      await scriptMayCome;
      await route.continue();
    });
    await page.reload({ waitUntil: "commit" });
    await form.getByLabel("Your name").fill("Bea Buyer");
    await form.getByRole("checkbox", { name: "Austrian German" }).check();
    letScriptCome();
    await formsReady(page);
    const expectAll = async () => {
      await expect.poll(() => form.getByLabel("Your name").inputValue()).toBe("Bea Buyer");
      await expect.poll(() => form.getByLabel("Company").inputValue()).toBe("Old Ltd");
      await expect.poll(() => form.getByRole("checkbox", { checked: true }).count()).toBe(2);
    };
    await expectAll();
    await page.reload();
    await formsReady(page);
    await expectAll();
  });
});

const pages: readonly [string, (page: Page) => Promise<unknown>, RegExp?][] = [
  ["the front page", (page) => page.goto(service().url)],
  ["a refused form", (page) => refusedApplication(page), /status of 400/],
  ["thanks", (page) => page.goto(`${service().url}/thanks?kind=inquiry&reference=INQ-20261121-042137`)],
  ["an address that does not exist", (page) => page.goto(`${service().url}/nothing`), /status of 404/],
  [
    "the button behind the link of a mail",
    async (page) => page.goto((await welcomed(service(), "axe@example.org")).unsubscribe),
  ],
  [
    "a link that does not work",
    (page) => page.goto(`${service().url}/newsletter/confirm?token=${"A".repeat(43)}`),
    /status of 404/,
  ],
];

test.each(atNight ? pages : pages.slice(0, 1))(
  "%s has no serious barrier, and fits the screen of a phone",
  async (_what, open, problem) => {
    await using visit = await Visit.begin(browser(), { colorScheme: "dark", viewport: { width: 360, height: 740 } });
    if (problem !== undefined) visit.expectProblems(problem);
    const { page } = visit;
    await open(page);
    await hasNoSeriousBarrier(page);
  },
);

/** Sends a form without the browser's own checks, as a page of another site would. */
async function refusedApplication(page: Page): Promise<void> {
  await page.goto(service().url);
  const path = "/api/applications/submit";
  const values = { fullName: "", email: "ana@localhost", phone: "1", coverLetter: "Dear all" };
  const send = page.evaluate(
    ([action, fields]) => {
      const form = Object.assign(document.createElement("form"), { method: "post", action });
      for (const field of Object.entries(fields).map(([name, value]) => ({ name, value })))
        form.append(Object.assign(document.createElement("textarea"), field));
      document.body.append(form);
      form.submit();
    },
    [path, values] as const,
  );
  await Promise.all([page.waitForURL(`**${path}`), send]);
}
