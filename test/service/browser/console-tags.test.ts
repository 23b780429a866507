// Tags, the places of the side bar and the filters of what a form sent, in a real browser.
import { expect, test } from "vitest";
import { shared } from "../../support/shared.ts";
import { ConsoleSite } from "../../support/browser/console-site.ts";
import { oneVisit, rows } from "../../support/browser/console-visit.ts";

const site = shared(() => ConsoleSite.open({ count: 60 }));
const go = oneVisit(site);

test("a tag is added with Enter, suggested, filtered by, renamed everywhere, and removed", async () => {
  const [one, other] = site().submissions.filter(({ kind, status }) => kind === "inquiry" && status === "new");
  const page = await go(`/inquiries/${one!.reference}`);
  await page.getByRole("textbox", { name: "Add tag" }).fill("hot lead");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Remove hot lead" }).waitFor();

  await go(`/inquiries/${other!.reference}`);
  await page.getByRole("textbox", { name: "Add tag" }).fill("ho");
  await page.getByRole("button", { name: "hot lead", exact: true }).click();
  await page.getByRole("button", { name: "Remove hot lead" }).click();
  await expect.poll(() => page.getByRole("button", { name: "Remove hot lead" }).count()).toBe(0);

  await go("?tag=hot+lead");
  await expect.poll(() => rows(page).count()).toBe(1);
  await rows(page).getByText("hot lead").waitFor();
  await page
    .getByRole("list", { name: "Filter" })
    .getByRole("link", { name: /tag: hot lead/ })
    .click();
  await expect.poll(() => rows(page).count()).toBeGreaterThan(1);

  await go("/settings");
  await page.getByLabel("New name of hot lead").fill("warm");
  await page.getByRole("button", { name: "Rename hot lead" }).click();
  await page.getByLabel("New name of warm").waitFor();

  await go(`/inquiries/${one!.reference}`);
  await page.getByRole("button", { name: "Remove warm" }).click();
  await expect.poll(() => page.getByRole("button", { name: "Remove warm" }).count()).toBe(0);
});

test("several get a tag at once", async () => {
  const page = await go();
  for (const at of [0, 1]) await rows(page).nth(at).getByRole("checkbox").click();
  await page.getByRole("button", { name: "Tag", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Add tag").fill("campaign");
  await page.keyboard.press("Enter");
  await dialog.getByRole("button", { name: "Remove campaign" }).waitFor();
  await page.keyboard.press("Escape");
  await go("?tag=campaign");
  await expect.poll(() => rows(page).count()).toBe(2);
});

test("the inbox opens on what is to be done, which the tab's title counts, and leads to each part of it", async () => {
  const page = await go();
  const todo = site().submissions.filter(({ status }) => status === "new" || status === "open");
  await expect.poll(() => page.title()).toMatch(new RegExp(`^\\(${todo.length}\\) Inbox`));
  await rows(page).first().waitFor();
  expect(await page.locator(".rows .row:is(.status-done, .status-spam)").count()).toBe(0);
  const places = page.getByRole("navigation", { name: "Console" });
  const inquiries = todo.filter(({ kind }) => kind === "inquiry").length;
  await places.getByRole("link", { name: new RegExp(`^Inquiries ${inquiries}`) }).click();
  await page.waitForURL("**/console?kind=inquiry");
  for (const name of [/^To do/, /^Applications/, /^Mine/, /^Unassigned/])
    await places.getByRole("link", { name }).waitFor();
});
