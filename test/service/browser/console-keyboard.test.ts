// A morning's work in the console without a mouse: open, read, reply, tag, done, next.
import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { openBrowser } from "../../support/browser.ts";
import { atNight } from "../../support/many-or-few.ts";
import { shared } from "../../support/shared.ts";
import { ConsoleSite } from "../../support/browser/console-site.ts";
import { enter, hasFocus, isWellMade, operator } from "../../support/browser/console-visit.ts";

const browser = shared(openBrowser);
const site = shared(() => ConsoleSite.open({ count: 20 }));

async function tabTo(page: Page, place: Locator): Promise<void> {
  await place.waitFor();
  for (let pressed = 0; pressed < 60 && !(await hasFocus(place)); pressed += 1) await page.keyboard.press("Tab");
  expect(await hasFocus(place)).toBe(true);
}

test.runIf(atNight)("a submission is opened, answered, tagged and done with, and the next one is there", async () => {
  await using visit = await enter(browser(), site(), "?status=new");
  const { page } = visit;
  const { keyboard } = page;
  const [one, next, third] = site().submissions.filter(({ status }) => status === "new");
  await page.locator(".rows .row").first().waitFor();

  await keyboard.press("j");
  await keyboard.press("Enter");
  const heading = page.getByRole("article").getByRole("heading", { level: 1 });
  await expect.poll(() => heading.innerText()).toBe(one!.name);
  expect(await hasFocus(heading)).toBe(true);
  await page.getByRole("region", { name: "Timeline" }).getByText("Received").waitFor();

  await keyboard.press("r");
  const message = page.getByRole("textbox", { name: "Message" });
  expect(await hasFocus(message)).toBe(true);
  await keyboard.type("We will call you at ten.");
  await isWellMade(page);
  await tabTo(page, page.getByRole("button", { name: "Send", exact: true }));
  await keyboard.press("Enter");
  await page.getByText(`The reply to ${one!.email} goes out in ten seconds.`).waitFor();
  await message.waitFor({ state: "detached" });
  expect(await hasFocus(heading)).toBe(true);
  const { replies } = await site().detail(one!.reference);
  expect(replies).toMatchObject([{ author: operator, text: expect.stringContaining("We will call you at ten.") }]);

  await tabTo(page, page.getByRole("textbox", { name: "Add tag" }));
  await keyboard.type("hot lead");
  await keyboard.press("Enter");
  await page.getByRole("button", { name: "Remove hot lead" }).waitFor();
  expect((await site().detail(one!.reference)).submission.tags).toEqual(["hot lead"]);

  await keyboard.press("Escape");
  await keyboard.press("e");
  await expect.poll(() => heading.innerText()).toBe(next!.name);
  await expect.poll(() => hasFocus(heading)).toBe(true);
  await expect.poll(() => site().now(one!.reference)).toEqual(["done", null]);

  await keyboard.press("r");
  await keyboard.type("Thank you.");
  await tabTo(page, page.getByRole("button", { name: "Send and mark done" }));
  await keyboard.press("Enter");
  await expect.poll(() => site().now(next!.reference)).toEqual(["done", null]);
  const row = page.locator(`[data-reference="${third!.reference}"]`);
  await expect.poll(() => hasFocus(row)).toBe(true);
  await keyboard.press("Enter");
  await expect.poll(() => heading.innerText()).toBe(third!.name);
  await keyboard.press("Escape");
  await expect.poll(() => hasFocus(row)).toBe(true);
});
