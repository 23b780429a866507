// A morning's work in the console without a mouse: open, read, reply, tag, done, next.
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { wholeScope } from "../../../server/src/storage/desk-store.ts";
import { openBrowser } from "../../support/browser.ts";
import { atNight, nightly } from "../../support/many-or-few.ts";
import { MovableClock } from "../../support/movable-clock.ts";
import { PostmarkStandIn } from "../../support/postmark-stand-in.ts";
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

nightly(
  "a morning's work: inquiries are answered, put off, and assigned, tagged and done; each time the next one opens",
  async () => {
    const clock = new MovableClock();
    await using postmark = await PostmarkStandIn.open();
    await using empty = await ConsoleSite.open({ count: 0, env: postmark.env, clock });
    const answer = {
      id: null,
      kind: "inquiry",
      title: "Prices",
      text: "Prices of {reference}.",
      language: null,
    } as const;
    await empty.store.replies.changeSavedAnswer(wholeScope, answer, { operator, at: Date.now() });
    const count = atNight ? 30 : 3;
    const added = [];
    for (let number = 1; number <= count; number += 1) added.push(await empty.add(`Buyer ${number}`));
    const inOrder = added.toReversed();
    await using visit = await enter(browser(), empty);
    const { page } = visit;
    const { keyboard } = page;
    const heading = page.getByRole("article").getByRole("heading", { level: 1 });
    await page.locator(".rows .row").first().waitFor();
    await keyboard.press("j");
    await keyboard.press("Enter");
    const work = [
      async () => {
        await keyboard.press("r");
        await keyboard.press("Shift+Tab");
        await page.getByRole("option", { name: "Prices" }).waitFor({ state: "attached" });
        await keyboard.press("ArrowDown");
        await expect
          .poll(() => page.getByRole("textbox", { name: "Message" }).inputValue())
          .toContain("Prices of INQ-");
        await keyboard.press("Control+Enter");
      },
      async () => {
        await keyboard.press("h");
        await keyboard.press("Enter");
      },
      async () => {
        await keyboard.press("a");
        await keyboard.press("Enter");
        await keyboard.press("t");
        await keyboard.type("hot");
        await keyboard.press("Enter");
        await page.getByRole("button", { name: "Remove hot" }).waitFor();
        await keyboard.press("Escape");
        await keyboard.press("e");
      },
    ] as const;
    for (const [index, { name }] of inOrder.entries()) {
      await expect.poll(() => heading.innerText()).toBe(name);
      await page.getByRole("region", { name: "Timeline" }).getByText("Received").waitFor();
      await work[index % work.length]!();
    }
    const ofJob = (job: number) => inOrder.filter((_one, index) => index % work.length === job);
    for (const { reference } of ofJob(0)) {
      await expect.poll(() => empty.now(reference)).toEqual(["done", operator]);
      expect((await empty.detail(reference)).replies).toMatchObject([{ text: `Prices of ${reference}.` }]);
    }
    for (const { reference } of ofJob(1)) {
      const snoozedUntil = async () => (await empty.detail(reference)).submission.snoozedUntil;
      await expect.poll(snoozedUntil).toBeGreaterThan(Date.now());
      expect(await empty.now(reference)).toEqual(["new", null]);
    }
    for (const { reference } of ofJob(2)) {
      await expect.poll(() => empty.now(reference)).toEqual(["done", operator]);
      expect((await empty.detail(reference)).submission.tags).toEqual(["hot"]);
    }
    // One mail for each answer, and none about the others.
    const told = () => postmark.taken.filter(({ Tag }) => Tag === "inquiry-reply").map(({ TextBody }) => TextBody);
    clock.advance(10_000);
    await expect.poll(told).toHaveLength(ofJob(0).length);
    for (const { reference } of ofJob(0))
      expect(told().filter((text) => text.includes(`Prices of ${reference}.`))).toHaveLength(1);
  },
);

nightly("a submission is opened, answered, tagged and done with, and the next one is there", async () => {
  await using visit = await enter(browser(), site(), "?status=new");
  const { page } = visit;
  const { keyboard } = page;
  const [one, next, third, fourth] = site().submissions.filter(({ status }) => status === "new");
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
  // What was answered is behind it: the next one opens.
  await expect.poll(() => heading.innerText()).toBe(next!.name);
  await expect.poll(() => hasFocus(heading)).toBe(true);
  const { replies } = await site().detail(one!.reference);
  expect(replies).toMatchObject([{ author: operator, text: expect.stringContaining("We will call you at ten.") }]);
  expect(await site().now(one!.reference)).toEqual(["open", operator]);

  await tabTo(page, page.getByRole("textbox", { name: "Add tag" }));
  await keyboard.type("hot lead");
  await keyboard.press("Enter");
  await page.getByRole("button", { name: "Remove hot lead" }).waitFor();
  expect((await site().detail(next!.reference)).submission.tags).toEqual(["hot lead"]);

  await keyboard.press("Escape");
  await keyboard.press("e");
  await expect.poll(() => heading.innerText()).toBe(third!.name);
  await expect.poll(() => hasFocus(heading)).toBe(true);
  await expect.poll(() => site().now(next!.reference)).toEqual(["done", null]);

  await keyboard.press("r");
  await keyboard.type("Thank you.");
  await tabTo(page, page.getByRole("button", { name: "Send and mark done" }));
  await keyboard.press("Enter");
  await expect.poll(() => heading.innerText()).toBe(fourth!.name);
  await expect.poll(() => site().now(third!.reference)).toEqual(["done", operator]);
  await keyboard.press("Escape");
  const row = page.locator(`[data-reference="${fourth!.reference}"]`);
  await expect.poll(() => hasFocus(row)).toBe(true);
});
