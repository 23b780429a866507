// Every page of the console in light and dark, on a phone and wide: what axe finds, what does not fit, what moves.
import { beforeAll, expect, test } from "vitest";
import { wholeScope } from "../../../server/src/storage/desk-store.ts";
import { atNight, manyOrFew, nightly } from "../../support/many-or-few.ts";
import { shared } from "../../support/shared.ts";
import { ConsoleSite, operators } from "../../support/browser/console-site.ts";
import {
  findingsIn,
  isWellMade,
  looks,
  oneVisit,
  operator,
  overflowOf,
  pathOf,
  personOf,
  phone,
  wide,
} from "../../support/browser/console-visit.ts";

/** With few rows, because axe checks each of them. */
const site = shared(() => ConsoleSite.open({ count: 20 }));
const { go } = oneVisit(site);
const inquiry = () => site().submissions.find(({ kind }) => kind === "inquiry")!;
const application = () => site().submissions.find(({ hasResume }) => hasResume)!;
const answered = () =>
  site().submissions.find(({ kind, reference }) => kind === "inquiry" && reference !== inquiry().reference)!;
const person = () => site().submissions[1]!;

/** A mail as strangers write them: long lines, quoted text, files. */
const cameIn = (number: number, senderName: string) => ({
  identity: String(number).padStart(64, "0"),
  at: Date.now() - 60_000,
  messageId: null,
  senderAddress: `${"very.".repeat(10)}long.address@${"label".repeat(8)}.example.org`,
  senderName,
  subject: `Re: your receipt ${"and-more-".repeat(20)}`,
  text: `Gladly. ${"https://example.org/".repeat(12)}\n\nOn Saturday you wrote:\n> When?`,
  reply: `Gladly. ${"https://example.org/".repeat(12)}`,
});
/** As long as a tag may be, in wide letters without a space. */
const longTags = ["W".repeat(40), "VERWALTUNGSZUSTÄNDIGKEITSBESCHEINIGUNGEN"];
beforeAll(async () => {
  const { inbound, desk } = site().store;
  const tagged = { references: [inquiry().reference, application().reference] };
  for (const add of longTags) await desk.changeTags(wholeScope, { ...tagged, add }, { operator, at: Date.now() });
  const fileNames = ["offer.pdf", `${"scan".repeat(30)}.png`];
  await inbound.keepUnmatched({ ...cameIn(0, "Eve"), automatic: true, fileNames });
  const files = fileNames.map((name) => ({ name, size: 1_000, kept: null }));
  const { arrival: submission } = answered();
  for (const [number, sender] of (["person", "unverified", "automatic"] as const).entries())
    await inbound.file({ ...cameIn(number + 1, sender), submission, sender, fromKeys: [], teamKeys: [], files });
});

/** What is there once all of the page is. The overview is looked at with its ranges. */
const pages: readonly (readonly [what: string, path: () => string, there: () => string])[] = [
  ["the inbox", () => "", () => ".rows .row"],
  ["no match", () => "?q=nothing-has-this-name", () => "text=Nothing matches"],
  ["the inbox of a tag", () => `?status=all&tag=${longTags[0]}`, () => ".rows .row .tag"],
  ["an inquiry", () => pathOf(inquiry()), () => `role=button[name="Remove ${longTags[1]}"]`],
  ["answers to an inquiry", () => pathOf(answered()), () => "text=Sender not verified"],
  ["unmatched mails", () => "/unmatched", () => `role=table[name="Unmatched mails"]`],
  ["an application", () => `${pathOf(application())}?status=new`, () => `[aria-label=${application().reference}] li`],
  ["applications by stage", () => "?kind=application", () => ".stage-tabs"],
  ["a person", () => personOf(person().email), () => `role=heading[name="${person().name}"]`],
  ["subscribers", () => "/subscribers", () => `role=img[name="Active subscribers by day"]`],
  ["mails", () => "/mails", () => `role=table[name="Mails"]`],
  ["the audit log", () => "/audit", () => `role=table[name="Audit log"]`],
  ["settings", () => "/settings", () => `role=button[name="Remove ${longTags[1]} everywhere"]`],
  ["a page that does not exist", () => "/nothing", () => "text=Page not found"],
];

/** By day those with the most on them. */
const byDay = new Set(["the inbox", "an application"]);

test.each(pages.filter(([what]) => atNight || byDay.has(what)))(
  "%s is free of barriers and fits",
  async (what, path, there) => {
    const page = await go(path());
    await page.locator(there()).first().waitFor();
    await isWellMade(page, what);
  },
);

nightly.each(looks)(
  "dialogs and menus have no barriers in $colorScheme colours, $viewport.width wide",
  async (look) => {
    const page = await go("?q=liam", look);
    await page.emulateMedia({ colorScheme: look.colorScheme });
    await page.locator(".row").first().waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    expect(await findingsIn(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: look.viewport.width > 400 ? "More" : "Filter" }).click();
    await page.getByLabel("Has a resume").waitFor();
    expect(await findingsIn(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page
      .getByRole("checkbox", { name: /^Select / })
      .first()
      .click();
    await page.getByRole("toolbar").waitFor();
    expect(await findingsIn(page)).toEqual([]);
    if (look.viewport.width > 400) return;
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("navigation", { name: "Console" }).waitFor();
    expect(await findingsIn(page)).toEqual([]);
    // The next look begins without what is open here.
    if (atNight) await page.reload();
  },
);

nightly("forced colours show which place, which list and which submission is open", async () => {
  const page = await go(pathOf(site().submissions[0]!), { ...wide, forcedColors: "active" });
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

nightly("on a phone a long address in a dialog leaves its buttons, and properties come first", async () => {
  const email = `${"very.".repeat(10)}long.address@${"label".repeat(12)}.example.org`;
  await site().add("Ida Long", email);
  const page = await go(personOf(email), { viewport: { width: 320, height: 740 } });
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Erase" }).click();
  await dialog.getByText(email).waitFor();
  await expect.poll(() => dialog.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  await dialog.getByRole("button", { name: "Cancel" }).click();

  // What was sent stands above what became of it.
  await page.getByRole("link", { name: /^INQ-/ }).first().click();
  const sent = (await page.getByRole("complementary", { name: "Properties" }).boundingBox())!;
  const story = (await page.getByRole("region", { name: "Timeline" }).boundingBox())!;
  expect(sent.y + sent.height).toBeLessThan(story.y);

  const [cleo] = operators.cleo;
  await site().store.access.changeOperator(cleo, { name: "Cleo ".repeat(20).trim() }, { operator, at: Date.now() });
  await page.keyboard.press("a");
  await dialog.getByText("you", { exact: true }).waitFor();
  expect(await dialog.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  await page.keyboard.press("Escape");
  await go("/subscribers", { viewport: { width: 320, height: 740 } });
  await page.getByRole("button", { name: "Add subscriber" }).waitFor();
  expect(await overflowOf(page)).toBeLessThanOrEqual(0);
});

nightly("nothing moves while a page loads, and what to search for can be read as a whole on a phone", async () => {
  for (const path of ["", "/overview", "/subscribers"].slice(0, manyOrFew(3))) {
    const page = await go();
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
    if (path === "/overview") continue;
    await page.setViewportSize(phone.viewport);
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

nightly("a long address in a table leaves the words beside it whole", async () => {
  const page = await go("/mails?status=all", { viewport: { width: 1100, height: 800 } });
  const cell = page.getByRole("cell", { name: "Receipt" }).first();
  const lines = await cell.evaluate((one) => {
    const range = new Range();
    range.selectNodeContents(one);
    return range.getClientRects().length;
  });
  expect(lines).toBe(1);
  expect(await overflowOf(page)).toBeLessThanOrEqual(0);
});
