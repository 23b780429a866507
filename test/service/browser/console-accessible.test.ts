// Every page of the console in light and dark, on a phone and wide: what axe finds, what does not fit, what moves.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { barriersOf, openBrowser, Visit } from "../../support/browser.ts";
import { shared } from "../../support/shared.ts";
import { webhookEvents } from "@submissions/shared/console";
import { ConsoleSite } from "../../support/browser/console-site.ts";
import { enter, operator } from "../../support/browser/console-visit.ts";

const browser = shared(openBrowser);
const site = shared(() => ConsoleSite.open());

async function findings(page: Page): Promise<string[]> {
  return (await barriersOf(page)).flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

const pages: readonly (readonly [string, () => string])[] = [
  ["the inbox", () => ""],
  ["no match", () => "?q=nothing-has-this-name"],
  ["an inquiry", () => `/inquiries/${site().submissions.find(({ kind }) => kind === "inquiry")!.reference}`],
  [
    "an application",
    () => `/applications/${site().submissions.find(({ hasResume }) => hasResume)!.reference}?status=new`,
  ],
  ["a person", () => `/people/${encodeURIComponent(site().submissions[1]!.email)}`],
  ["subscribers", () => "/subscribers"],
  ["mails", () => "/mails"],
  ["the overview", () => "/overview"],
  ["the audit log", () => "/audit"],
  ["settings", () => "/settings"],
  ["a page that does not exist", () => "/nothing"],
];
const looks = [
  { colorScheme: "light", viewport: { width: 1440, height: 900 } },
  { colorScheme: "dark", viewport: { width: 360, height: 740 } },
] as const;

/** In light and wide, and in dark on a phone: nothing that axe finds, and nothing that does not fit. */
async function isWellMade(page: Page, what: string): Promise<void> {
  for (const { colorScheme, viewport } of looks) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(viewport);
    expect(await findings(page), `${what}, ${colorScheme}`).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), what).toBeLessThanOrEqual(0);
  }
}

test.each(pages)("%s is free of barriers and fits", async (what, path) => {
  await using visit = await enter(browser(), site(), path());
  await visit.page.waitForLoadState("networkidle");
  await isWellMade(visit.page, what);
});

test("webhooks and their dialogs are free of barriers and fit", async () => {
  const url = "https://crm.example.org/a-long-path/0123456789abcdef0123456789abcdef";
  const { webhooks } = site().store;
  const at = Date.now();
  await webhooks.add({ url, events: [...webhookEvents], secret: "whsec_c2VjcmV0" }, { operator, at });
  await webhooks.rotate(1, "whsec_bmV3", { operator, at });
  site().addDeliveries();
  await using visit = await enter(browser(), site(), "/settings");
  const { page } = visit;
  for (const name of ["Add webhook", "Deliveries: crm.example.org", "New secret: crm.example.org"]) {
    await page.getByRole("button", { name }).click();
    if (name.startsWith("Deliveries"))
      await page
        .getByRole("button", { name: /^Replay / })
        .first()
        .waitFor();
    await isWellMade(page, name);
    await page.getByRole("dialog").getByRole("button", { name: "Close", exact: true }).first().click();
  }
  await isWellMade(page, "the list");
});

test("the dialogs of subscribers are free of barriers and fit", async () => {
  await using visit = await enter(browser(), site(), "/subscribers");
  const { page } = visit;
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Add subscriber", exact: true }).click();
  await isWellMade(page, "Add subscriber");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await isWellMade(page, "Import");
  const file = { name: "readers.csv", mimeType: "text/csv", buffer: Buffer.from("email\nnobody\n") };
  await dialog.getByLabel("CSV file").setInputFiles(file);
  await dialog.getByRole("button", { name: "Import", exact: true }).click();
  await dialog.getByRole("table", { name: "Left out" }).waitFor();
  await isWellMade(page, "the report");
});

test("the sign-in and the invitation are free of barriers", async () => {
  await using visit = await Visit.begin(browser());
  const { page } = visit;
  for (const path of ["", `/invitation#token=${await site().invite("nils@voices.example", "sales")}`]) {
    await page.goto(site().url + path);
    await page.getByLabel("Password").waitFor();
    await isWellMade(page, path);
  }
});

test.each(looks)(
  "dialogs and menus are free of barriers in $colorScheme colours, $viewport.width wide",
  async (look) => {
    // Few rows, because axe checks each of them. The whole inbox is checked as a page above.
    await using visit = await enter(browser(), site(), "?q=liam", look);
    const { page } = visit;
    await page.locator(".row").first().waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: look.viewport.width > 400 ? "More" : "Filter" }).click();
    await page.getByLabel("Has a resume").waitFor();
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page
      .getByRole("checkbox", { name: /^Select / })
      .first()
      .click();
    await page.getByRole("toolbar").waitFor();
    expect(await findings(page)).toEqual([]);
    if (look.viewport.width > 400) return;
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("navigation", { name: "Console" }).waitFor();
    expect(await findings(page)).toEqual([]);
  },
);

test("forced colours show which place, which list and which submission is open", async () => {
  const [one] = site().submissions;
  const path = `/${one!.kind === "inquiry" ? "inquiries" : "applications"}/${one!.reference}`;
  await using visit = await enter(browser(), site(), path, { forcedColors: "active" });
  const { page } = visit;
  await page.locator(".rows .row").first().waitFor();
  const lines = (selector: string) =>
    page.locator(selector).evaluateAll((elements) =>
      elements.map((element) => {
        const { outlineStyle, borderBottomColor } = getComputedStyle(element);
        return `${outlineStyle} ${borderBottomColor}`;
      }),
    );
  for (const what of [".wide-menu .place", ".tab", ".rows .row"]) {
    const [open, ...others] = await lines(what);
    expect(others, what).not.toContain(open);
  }
});

test("a long address in a dialog leaves its buttons on a phone", async () => {
  const email = `${"very.".repeat(10)}long.address@${"label".repeat(12)}.example.org`;
  await site().add("Ida Long", email);
  await using visit = await enter(browser(), site(), `/people/${encodeURIComponent(email)}`, {
    viewport: { width: 320, height: 740 },
  });
  const { page } = visit;
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Erase" }).click();
  await dialog.getByText(email).waitFor();
  expect(await dialog.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
});

test("what to search for can be read as a whole on a phone", async () => {
  await using visit = await enter(browser(), site(), "", { viewport: { width: 360, height: 740 } });
  const { page } = visit;
  for (const path of ["", "/subscribers"]) {
    await page.goto(site().url + path);
    const room = await page.getByRole("searchbox").evaluate((input: HTMLInputElement) => {
      const { font, paddingLeft, paddingRight } = getComputedStyle(input);
      const pen = document.createElement("canvas").getContext("2d")!;
      pen.font = font;
      // The button that clears the box has room of its own.
      const inside = input.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight) - 16;
      return inside - pen.measureText(input.placeholder).width;
    });
    expect(room, path).toBeGreaterThanOrEqual(0);
  }
});

test("nothing moves while a page loads", async () => {
  await using visit = await enter(browser(), site());
  const { page } = visit;
  for (const path of ["", "/overview", "/subscribers"]) {
    await page.goto(site().url + path, { waitUntil: "networkidle" });
    const shifts = await page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          // The observer is told of all that came before, if anything did; the second one ends the wait.
          let sum = 0;
          new PerformanceObserver((list) => {
            for (const entry of list.getEntries()) sum += (entry as unknown as { readonly value: number }).value;
          }).observe({ type: "layout-shift", buffered: true });
          new PerformanceObserver(() => resolve(sum)).observe({ type: "navigation", buffered: true });
        }),
    );
    expect(shifts, path).toBeLessThan(0.02);
  }
});
