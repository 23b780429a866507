// What stands around the pages of the console, the overview, and what a new installation shows.
import { describe, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { barriersOf, openBrowser, Visit } from "../../support/browser.ts";
import { shared } from "../../support/shared.ts";
import { ConsoleSite, operators } from "../../support/browser/console-site.ts";
import { enter, operator } from "../../support/browser/console-visit.ts";

const browser = shared(openBrowser);
const site = shared(() => ConsoleSite.open());
const rows = (page: Page) => page.locator(".rows .row");

const looks = [
  { colorScheme: "light", viewport: { width: 1440, height: 900 } },
  { colorScheme: "dark", viewport: { width: 360, height: 740 } },
] as const;

async function isWellMade(page: Page): Promise<void> {
  for (const { colorScheme, viewport } of looks) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(viewport);
    expect(await barriersOf(page, { preload: false }), colorScheme).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  }
}

test("the name of the installation stands in the tab, on the sign-in and above the places", async () => {
  const brand = "Voices & <Sons>";
  await using branded = await ConsoleSite.open({ count: 0, env: { BRAND: brand } });
  await using visit = await Visit.begin(browser());
  const { page } = visit;
  await page.goto(branded.url);
  await page.locator(".card-brand").getByText(brand, { exact: true }).waitFor();
  expect(await page.title()).toBe(`Sign in · ${brand}`);
  await branded.signIn(visit.context);
  await page.goto(`${branded.url}/overview`);
  await page.getByRole("link", { name: brand, exact: true }).waitFor();
  expect(await page.title()).toBe(`Overview · ${brand}`);
});

test("the menu of the account has the address, the settings, the shortcuts and the way out, by keyboard too", async () => {
  await using visit = await enter(browser(), site(), "/mails");
  const { page } = visit;
  const button = page.getByRole("button", { name: /^Account of eva/ });
  await button.focus();
  await page.keyboard.press("Enter");
  const menu = page.locator(".account-menu:popover-open");
  await menu.getByText(operator, { exact: true }).waitFor();
  await menu.getByRole("button", { name: "Sign out" }).waitFor();
  await isWellMade(page);
  await page.setViewportSize(looks[0].viewport);
  await page.keyboard.press("Escape");
  await menu.waitFor({ state: "detached" });
  await button.press("Enter");
  await menu.getByRole("button", { name: "Keyboard shortcuts" }).click();
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  await page.keyboard.press("Escape");
  await button.press("Enter");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/console/settings");
  expect(await menu.count()).toBe(0);
});

test("every page says that no mail goes out and that the disk is nearly full", async () => {
  await using visit = await Visit.begin(browser(), looks[0]);
  const { page } = visit;
  await site().signIn(visit.context, operators.mia[0]);
  await page.goto(`${site().url}/subscribers`);
  await page.getByRole("heading", { name: "Subscribers", exact: true }).waitFor();
  expect(await page.getByRole("alert").filter({ hasText: /./ }).count()).toBe(0);
  const json = { result: { data: { mail: true, disk: true } } };
  await page.route("**/overview.troubles*", (route) => route.fulfill({ json }));
  await page.reload();
  for (const text of [/^No mail goes out/, /^The disk of this service is nearly full/])
    await page.getByRole("alert").filter({ hasText: text }).waitFor();
  await isWellMade(page);
  await page.getByRole("link", { name: "Queued mails" }).click();
  await page.waitForURL("**/console/mails?status=queued");
  await page
    .getByRole("alert")
    .filter({ hasText: /^No mail/ })
    .waitFor();
});

describe("a new installation", () => {
  test("shows an administrator four steps until the first submission comes", async () => {
    await using empty = await ConsoleSite.open({ count: 0 });
    await using visit = await enter(browser(), empty);
    const { page } = visit;
    const steps = page.locator(".first-steps");
    await steps.getByText(`<script type="module" src="${new URL(empty.url).origin}/forms.js"></script>`).waitFor();
    expect(await steps.getByRole("heading").allInnerTexts()).toEqual([
      "Put a form into your page",
      "Send a test",
      expect.stringMatching(/^Invite your colleagues\s+done$/),
      "Connect mail",
    ]);
    await isWellMade(page);
    await page.setViewportSize(looks[0].viewport);
    const forms = await steps.getByRole("link", { name: "the front page" }).getAttribute("href");
    expect((await fetch(forms!)).status).toBe(200);
    await steps.getByRole("link", { name: "Invite an operator" }).click();
    await page.getByRole("button", { name: "Invite" }).waitFor();
    await page.goBack();
    await steps.waitFor();
    await empty.add("Nora Bell");
    await page.reload();
    await page.getByRole("link", { name: /Nora Bell/ }).waitFor();
    expect(await steps.count()).toBe(0);
  });

  test("shows others that nothing has come", async () => {
    await using empty = await ConsoleSite.open({ count: 0 });
    await using visit = await enter(browser(), empty, "", { as: operators.ben[0] });
    await visit.page.getByRole("heading", { name: "No submissions yet" }).waitFor();
    await visit.page.waitForLoadState("networkidle");
    expect(await visit.page.locator(".first-steps").count()).toBe(0);
  });
});

describe("the overview", () => {
  test("compares ranges, and its cards lead to their lists", async () => {
    await using visit = await enter(browser(), site(), "/overview");
    const { page } = visit;
    await page.getByText(/^\d+ in the 30 days before$/).waitFor();
    await isWellMade(page);
    await page.setViewportSize(looks[0].viewport);
    await page.getByRole("combobox", { name: "Range" }).selectOption("7 days");
    await page.waitForURL("**/console/overview?days=7");
    await page.getByText(/^\d+ in the 7 days before$/).waitFor();
    await page.getByText("Show as a table").click();
    expect(await page.getByRole("table").getByRole("row").count()).toBe(8);
    await page.reload();
    await page.getByText(/^\d+ in the 7 days before$/).waitFor();
    for (const [name, address] of [
      [/^Submissions \d+/, /\/console\?(?=.*status=all)(?=.*from=\d{4}-\d\d-\d\d)/],
      [/^Open for over 14 days/, /\/console\?(?=.*status=open)(?=.*order=oldest)/],
      [/^New for over 2 days/, /\/console\?(?=.*status=new)(?=.*order=oldest)/],
      [/^Mails that failed/, /\/console\/mails\?status=failed/],
    ] as const) {
      await page.getByRole("link", { name }).click();
      await page.waitForURL(address);
      await page.goBack();
    }
  });

  test("leads from a package, a position and an operator to their submissions", async () => {
    await using visit = await enter(browser(), site(), "/overview?days=90");
    const { page } = visit;
    const box = (name: string) => page.locator(".shares section").filter({ has: page.getByRole("heading", { name }) });
    for (const [name, parameter] of [
      ["Packages", "package="],
      ["Positions", "position="],
      ["Operators", "assignee="],
    ] as const) {
      const link = box(name).getByRole("link").first();
      const many = Number(/(\d+)$/.exec((await link.innerText()).trim())?.[1]);
      await link.click();
      await page.waitForURL((url) => url.search.includes(parameter));
      await expect.poll(() => rows(page).count()).toBe(Math.min(many, 50));
      await page.goBack();
      await box(name).waitFor();
    }
  });
});
