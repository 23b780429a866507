// Changing one or many submissions from the list of the inbox, in a real browser.
import { expect, test } from "vitest";
import type { InboxRow } from "@submissions/shared/console";
import { atNight, nightly } from "../../support/many-or-few.ts";
import { shared } from "../../support/shared.ts";
import { ConsoleSite } from "../../support/browser/console-site.ts";
import { focusedRow, oneVisit, operator, pathOf, rows } from "../../support/browser/console-visit.ts";

const site = shared(() => ConsoleSite.open());
const { go } = oneVisit(site);

nightly("the keyboard is left on a row when the buttons for the selected ones are gone", async () => {
  const page = await go("?status=new");
  const bar = page.getByRole("toolbar", { name: "Selected submissions" });
  const [, second, third] = await site().list({ status: "new" });
  await rows(page).nth(1).getByRole("checkbox").check();
  await bar.getByRole("button", { name: "Open" }).press("Enter");
  await expect.poll(() => focusedRow(page)).toBe(second!.reference);
  await rows(page).nth(2).getByRole("checkbox").check();
  await bar.getByRole("button", { name: "Assign" }).press("Enter");
  await page.getByRole("dialog").getByRole("button", { name: operator }).press("Enter");
  await expect.poll(() => focusedRow(page)).toBe(third!.reference);
});

nightly("a row that the mouse points at offers to be set to done", async () => {
  const page = await go("?status=open");
  const row = rows(page).last();
  const done = row.getByTitle("Set to done (e)");
  await expect.poll(() => done.isVisible()).toBe(false);
  await row.hover();
  await done.click();
  await page.getByText("Set to done.").waitFor();
  await page.keyboard.press("z");
  await page.getByText("Undone.").waitFor();
});

test("a single key does not take a row out of spam, which would mail its sender", async () => {
  const page = await go("?status=spam");
  const [one] = await site().list({ status: "spam" });
  await rows(page).first().waitFor();
  for (const key of ["j", "e", "z"]) await page.keyboard.press(key);
  await page.getByText("There is nothing to undo.").waitFor();
  await go(pathOf(one!));
  await page.getByRole("button", { name: "Release" }).waitFor();
  expect(await page.getByRole("button", { name: /^Done/ }).isDisabled()).toBe(true);
  for (const key of ["e", "z"]) await page.keyboard.press(key);
  await page.getByText("There is nothing to undo.").waitFor();
  expect((await site().now(one!.reference))[0]).toBe("spam");
});

nightly("the inbox works from the keyboard alone", async () => {
  const page = await go("?status=new");
  await page.reload();
  await rows(page).first().waitFor();
  const [first, second, third] = (await site().list({ status: "new" })) as [InboxRow, InboxRow, InboxRow];
  await page.keyboard.press("j");
  await page.keyboard.press("e");
  await page.getByText("Set to done.").waitFor();
  expect(await site().now(first.reference)).toEqual(["done", null]);
  expect(await focusedRow(page)).toBe(second.reference);
  await expect.poll(() => rows(page).first().getAttribute("class")).toContain("dimmed");
  await page.keyboard.press("z");
  await page.getByText("Undone.").waitFor();
  expect(await site().now(first.reference)).toEqual(["new", null]);
  await page.keyboard.press("x");
  await page.keyboard.press("j");
  await page.keyboard.press("Shift+X");
  await page.getByText("2 selected").waitFor();
  await page.keyboard.press("a");
  await page.getByRole("dialog").getByRole("button", { name: operator }).click();
  await page.getByText(`2 submissions: Assigned to eva.`).waitFor();
  const assigned = [second, third, first].map(async ({ reference }) => (await site().now(reference))[1]);
  expect(await Promise.all(assigned)).toEqual([operator, operator, null]);
  await page.keyboard.press("/");
  await expect.poll(() => page.getByRole("searchbox").evaluate((box) => box === document.activeElement)).toBe(true);
  await page.keyboard.press("e");
  await expect.poll(() => page.getByRole("searchbox").inputValue()).toBe("e");
  await page.keyboard.press("Escape");
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  await page.keyboard.press("Escape");
  await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
});

test("a change is made of all that match once their number is confirmed, and leaves what another operator changed", async () => {
  // More than the list shows at first, and at night more than the 500 that a call of the console changes.
  await Promise.all(Array.from({ length: atNight ? 501 : 51 }, () => site().add("Nora Fresh")));
  const matching = await site().list({ status: "new" });
  const [other, erased] = matching;
  const page = await go("?status=new");
  await page.reload();
  const calls: number[] = [];
  page.on("request", (request) => {
    if (request.url().includes("inbox.triage"))
      calls.push((request.postDataJSON() as { readonly targets: readonly unknown[] }).targets.length);
  });
  const bar = page.getByRole("toolbar", { name: "Selected submissions" });
  const openAllThatMatch = async () => {
    await rows(page).first().getByRole("checkbox").check();
    await bar.getByRole("button", { name: /^Select all \d+$/ }).click();
    await bar.getByRole("button", { name: "Select all that match" }).click();
    await bar.getByText("All that match").waitFor();
    await bar.getByRole("button", { name: "Open" }).click();
  };
  await openAllThatMatch();
  const dialog = page.getByRole("dialog", { name: "Change all that match?" });
  await dialog.getByText(`Set ${matching.length} submissions to open?`).waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  expect(calls).toEqual([]);

  await openAllThatMatch();
  const confirm = dialog.getByRole("button", { name: `Change ${matching.length}` });
  await confirm.waitFor();
  await site().changeAs("ben@voices.example", other!.reference, { status: "spam" });
  site().erase(erased!.reference);
  await confirm.click();
  await page.getByText(`${matching.length - 2} submissions: Set to open.`).waitFor();
  await page.getByText("1 was changed by ben meanwhile and stays as it is.").waitFor();
  await page.getByText("1 submission could not be found any more.").waitFor();
  expect(calls).toEqual(atNight ? [500, matching.length - 500] : [matching.length]);
  expect(await site().list({ status: "new" })).toEqual([]);
  expect((await site().now(other!.reference))[0]).toBe("spam");
});
