// What the inbox shows and keeps in its address, in a real browser: filters, searches, older submissions, tags.
import { expect, test } from "vitest";
import { manyOrFew, nightly } from "../../support/many-or-few.ts";
import { shared } from "../../support/shared.ts";
import { wholeScope } from "../../../server/src/storage/desk-store.ts";
import { ConsoleSite, operators } from "../../support/browser/console-site.ts";
import { failNext, holdNext, oneVisit, pathOf, rows } from "../../support/browser/console-visit.ts";
import { routeNext } from "../../support/browser.ts";

const site = shared(() => ConsoleSite.open());
const { go, expectProblems } = oneVisit(site);

nightly("an inbox keeps its filter in the address, and Back returns to it", async () => {
  const page = await go();
  await page.getByRole("navigation", { name: "By state" }).getByRole("link", { name: "New" }).click();
  await page.waitForURL("**/console?status=new");
  const waiting = site().submissions.filter(({ status }) => status === "new");
  await expect.poll(() => rows(page).count()).toBe(waiting.length);
  await page.getByRole("combobox", { name: "Assignee" }).selectOption("none");
  await page.waitForURL("**/console?status=new&assignee=none");
  await page.goBack();
  await page.waitForURL("**/console?status=new");
  await rows(page).first().getByRole("link").click();
  await page.waitForURL(`**${pathOf(waiting[0]!)}?status=new`);
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByRole("heading", { name: waiting[1]!.name }).waitFor();
  await page.getByRole("button", { name: "Inbox" }).click();
  await page.waitForURL("**/console?status=new");
});

nightly("older submissions are shown page by page, and it is said why they could not be loaded", async () => {
  const page = await go("?status=all");
  expectProblems(/status of 429/);
  const total = site().submissions.filter(({ status }) => status !== "spam").length;
  const older = page.getByRole("button", { name: "Show older" });
  await expect.poll(() => rows(page).count()).toBe(50);
  const error = { code: -32029, message: "Too many requests.", data: { code: "TOO_MANY_REQUESTS" } };
  await routeNext(page, "**/inbox.list*", (route) => route.fulfill({ status: 429, json: { error } }));
  await older.click();
  await page.getByText("Not loaded. Too many requests.").waitFor();
  await older.click();
  await expect.poll(() => rows(page).count()).toBe(100);
  await expect.poll(() => page.getByText("Not loaded.").count()).toBe(0);
  await older.click();
  await expect.poll(() => rows(page).count()).toBe(total);
  await expect.poll(() => older.count()).toBe(0);
});

test("no server on the way is told what is searched for, and old addresses are rewritten", async () => {
  const page = await go();
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.getByRole("searchbox", { name: "Search" }).pressSequentially("kalomi");
  await page.waitForURL("**/console#q=kalomi");
  await page.getByRole("navigation", { name: "By state" }).getByRole("link", { name: "New" }).click();
  await page.waitForURL("**/console?status=new#q=kalomi");
  await go("?order=oldest#q=kalomi");
  await rows(page).first().locator("a").first().click();
  await page.getByRole("link", { name: "All from this address" }).click();
  await page.getByRole("heading", { name: "Anna Müller" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "Anna Müller" }).waitFor();
  await page.goBack();
  await page.goBack();
  await page.waitForURL("**/console?order=oldest#q=kalomi");
  expect(asked.filter((url) => /kalomi(?!\.js)/.test(url.split("#")[0]!))).toEqual([]);

  await page.goto(`${site().url}?q=kalomi&status=new`);
  await page.waitForURL("**/console?status=new#q=kalomi");
  const search = page.getByRole("searchbox", { name: "Search" });
  await expect.poll(() => search.inputValue()).toBe("kalomi");
  await go("#letter=phonetics");
  await expect.poll(() => search.inputValue()).toBe("phonetics");
});

nightly("what failed is said and offered again, and so is being offline", async () => {
  const page = await go();
  const context = page.context();
  expectProblems(/status of 500/, /status of 429/, /ERR_INTERNET_DISCONNECTED|ERR_CONNECTION_REFUSED|status of/);
  await rows(page).first().waitFor();
  await failNext(page, "inbox.list", 3);
  await page.getByRole("combobox", { name: "Kind" }).selectOption("inquiry");
  await page.getByRole("button", { name: "Try again" }).click();
  await rows(page).first().waitFor();
  for (const how of ["refused", "not answered"].slice(0, manyOrFew(2))) {
    await routeNext(page, "**/exports/*", (route) =>
      how === "refused" ? route.fulfill({ status: 429, json: {} }) : route.abort("connectionrefused"),
    );
    await page.getByRole("button", { name: "More" }).click();
    expect(await page.locator(".toast").count(), how).toBe(0);
    await page.getByRole("button", { name: "CSV of inquiries shown here" }).click();
    await page.getByText("Not downloaded. Please try again.").waitFor();
    await page.reload();
    await rows(page).first().waitFor();
  }
  await context.setOffline(true);
  await page.getByText("You are offline.").waitFor();
  await context.setOffline(false);
  await page.getByText("You are offline.").waitFor({ state: "detached" });
});

nightly("a tag is added with Enter, suggested, filtered by, renamed and removed everywhere", async () => {
  const [one, other] = site().submissions.filter(({ kind, status }) => kind === "inquiry" && status === "new");
  const page = await go(`/inquiries/${one!.reference}`);
  const held = await holdNext(page, "**/tags.change*");
  await page.getByRole("textbox", { name: "Add tag" }).fill("hot lead");
  await page.keyboard.press("Enter");
  await held.answered;
  await page.getByRole("textbox", { name: "Add tag" }).fill("the next");
  await held.release();
  await page.getByRole("button", { name: "Remove hot lead" }).waitFor();
  expect(await page.getByRole("textbox", { name: "Add tag" }).inputValue()).toBe("the next");

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
  const line = page.getByRole("listitem").filter({ hasText: "hot lead" });
  await line.getByRole("button", { name: "Rename", exact: true }).click();
  await page.getByLabel("New name of warm").waitFor();

  await page.getByRole("button", { name: "Remove warm everywhere" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove", exact: true }).click();
  await page.getByText("Removed from 1 submission.").waitFor();

  await go(`/inquiries/${one!.reference}`);
  await page.getByRole("textbox", { name: "Add tag" }).waitFor();
  expect(await page.getByRole("button", { name: "Remove warm" }).count()).toBe(0);
});

nightly("a tag is chosen from a list with counts", async () => {
  const references = site()
    .submissions.slice(0, 2)
    .map(({ reference }) => reference);
  const actor = { operator: operators.eva[0], at: Date.now() };
  await site().store.desk.changeTags(wholeScope, { references, add: "chosen" }, actor);
  const page = await go("?status=all");
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("combobox", { name: "Package" }).getByRole("option").nth(1).waitFor({ state: "attached" });
  await page.getByRole("combobox", { name: "Tag" }).selectOption({ label: "chosen (2)" });
  await expect.poll(() => rows(page).count()).toBe(2);
  expect(new URL(page.url()).searchParams.get("tag")).toBe("chosen");
});

nightly("several get a tag at once", async () => {
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

nightly(
  "the inbox opens on what is to be done, which the tab's title counts, and leads to each part of it",
  async () => {
    const page = await go();
    const todo = site().submissions.filter(({ status }) => status === "new" || status === "open");
    await expect.poll(() => page.title()).toMatch(new RegExp(`^\\(${todo.length}\\) Inbox`));
    await rows(page).first().waitFor();
    await expect.poll(() => page.locator(".rows .row:is(.status-done, .status-spam)").count()).toBe(0);
    const places = page.getByRole("navigation", { name: "Console" });
    const inquiries = todo.filter(({ kind }) => kind === "inquiry").length;
    await places.getByRole("link", { name: new RegExp(`^Inquiries ${inquiries}`) }).click();
    await page.waitForURL("**/console?kind=inquiry");
    for (const name of [/^To do/, /^Applications/, /^Mine/, /^Unassigned/])
      await places.getByRole("link", { name }).waitFor();
  },
);
