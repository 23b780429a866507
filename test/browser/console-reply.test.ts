// Answering a person in the console, in a real browser.
import type { InboxRow } from "@submissions/shared/console";
import { expect, test } from "vitest";
import { openBrowser } from "../support/browser.ts";
import { anew, shared } from "../support/shared.ts";
import { ConsoleSite } from "./console-site.ts";
import { enter, operator } from "./console-visit.ts";

const browser = shared(openBrowser);
const site = anew(() => ConsoleSite.open({ count: 20 }));

const newInquiry = (): InboxRow => site.submissions.find(({ kind, status }) => kind === "inquiry" && status === "new")!;
const pathOf = ({ reference }: InboxRow) => `/inquiries/${reference}`;

test("a reply is begun with r, sent and marked done, and taken back with the status and the words", async () => {
  const one = newInquiry();
  await using visit = await enter(browser, site, pathOf(one));
  const { page } = visit;
  await page.getByRole("heading", { name: one.name }).waitFor();
  await page.keyboard.press("r");
  const message = page.getByRole("textbox", { name: "Message" });
  expect(await message.evaluate((field) => document.activeElement === field)).toBe(true);
  expect(await message.inputValue()).toContain(one.name);
  expect(await message.inputValue()).toContain(one.reference);
  await message.fill("We will call you tomorrow.");
  await page.getByRole("button", { name: "Send and mark done" }).click();
  await page.getByRole("button", { name: "Undo", exact: true }).waitFor();
  await expect.poll(() => site.now(one.reference)).toEqual(["done", one.assignee]);
  await page.getByRole("listitem").filter({ hasText: "We will call you tomorrow." }).getByText("replied").waitFor();
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await page.getByText("The reply is taken back.").waitFor();
  expect(await site.now(one.reference)).toEqual(["new", one.assignee]);
  expect((await site.detail(one.reference)).replies).toEqual([]);
  await page.getByRole("button", { name: "Reply", exact: true }).click();
  expect(await message.inputValue()).toBe("We will call you tomorrow.");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await expect
    .poll(async () => (await site.detail(one.reference)).replies)
    .toMatchObject([{ author: operator, text: "We will call you tomorrow." }]);
  expect(await message.count()).toBe(0);
});

test("a message that was begun survives a reload, and not a sign-out", async () => {
  const one = newInquiry();
  await using visit = await enter(browser, site, pathOf(one));
  const { page } = visit;
  await page.getByRole("button", { name: "Reply", exact: true }).click();
  const message = page.getByRole("textbox", { name: "Message" });
  await message.fill("Half a sentence");
  await page.reload();
  await expect.poll(() => message.inputValue()).toBe("Half a sentence");
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("button", { name: "Sign in" }).waitFor();
  expect(await page.evaluate(() => Object.keys(localStorage))).toEqual([]);
});

test("what became of a submission is one list in the order of time", async () => {
  const one = newInquiry();
  await using visit = await enter(browser, site, pathOf(one));
  const { page } = visit;
  await page.getByRole("textbox", { name: "Note" }).fill("A good customer.");
  await page.getByRole("button", { name: "Add note" }).click();
  const items = page.getByRole("region", { name: "Timeline" }).getByRole("listitem");
  await expect.poll(() => items.last().innerText()).toContain("A good customer.");
  expect(await items.first().innerText()).toContain("Received");
  expect(await items.nth(1).innerText()).toContain("Receipt");
  const properties = page.getByRole("complementary", { name: "Properties" });
  await properties.getByRole("combobox", { name: "Status" }).waitFor();
  expect(await properties.innerText()).toContain(one.reference);
});
