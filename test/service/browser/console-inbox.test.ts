// The list of the inbox in a real browser: its rows, sections, filters and search, and where the keyboard goes.
import type { InboxRow } from "@submissions/shared/console";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { openBrowser, Visit, routeNext } from "../../support/browser.ts";
import { shared } from "../../support/shared.ts";
import { wholeScope } from "../../../server/src/storage/desk-store.ts";
import { ConsoleSite, operators } from "../../support/browser/console-site.ts";
import {
  enter,
  fillSignIn,
  focusedRow,
  moveTo,
  oneVisit,
  pathOf,
  personOf,
  phone,
  rows,
  wide,
} from "../../support/browser/console-visit.ts";
import { nightly } from "../../support/many-or-few.ts";

const browser = shared(openBrowser);
const site = shared(() => ConsoleSite.open({ count: 60 }));
const { go, expectProblems } = oneVisit(site);
/** In its page the clock can be set forward. */
const later = shared(async () => {
  const visit = await Visit.begin(browser(), wide);
  await visit.page.clock.install();
  await visit.page.goto(site().url);
  await fillSignIn(visit.page);
  await visit.page.locator("#content").waitFor();
  return visit;
});
const goLater = (path = "") => moveTo(later().page, site().url + path);
const referencesIn = (page: Page) =>
  page.locator("[data-reference]").evaluateAll((links) => links.map((link) => link.dataset["reference"]));

nightly(
  "rows are one line of 44 px, of 60 px or more on a phone, in sections by the days of the viewer's zone",
  async () => {
    const timeZone = "Pacific/Auckland";
    await using visit = await enter(browser(), site(), "?status=all", { timezoneId: timeZone });
    const { page } = visit;
    await expect.poll(() => rows(page).count()).toBe(50);
    const dayMs = 24 * 3_600_000;
    const dayOf = (at: number) => new Date(at).toLocaleDateString("en-CA", { timeZone });
    const now = Date.now();
    const nameOf = ({ receivedAt }: InboxRow) => {
      const day = dayOf(receivedAt);
      if (day === dayOf(now)) return "Today";
      if (day === dayOf(now - dayMs)) return "Yesterday";
      return day >= dayOf(now - 6 * dayMs) ? "This week" : "Earlier";
    };
    const expected = Map.groupBy(
      site()
        .submissions.filter(({ status }) => status !== "spam")
        .slice(0, 50),
      nameOf,
    );
    expect([...expected.keys()].at(-1)).toBe("Earlier");
    await expect.poll(() => page.locator(".section-name").allInnerTexts()).toEqual([...expected.keys()]);
    await expect
      .poll(() => page.locator(".rows").evaluateAll((lists) => lists.map((list) => list.children.length)))
      .toEqual(Array.from(expected.values(), (its) => its.length));
    for (const [width, least, most] of [
      [1440, 44, 44],
      [360, 60, 84],
    ] as const) {
      await page.setViewportSize({ width, height: 740 });
      const heights = await rows(page).evaluateAll((all) => all.map((row) => row.getBoundingClientRect().height));
      expect(Math.min(...heights), String(width)).toBeGreaterThanOrEqual(least);
      expect(Math.max(...heights), String(width)).toBeLessThanOrEqual(most);
    }
  },
);

nightly("a list without rows shows the first one that comes in, without a click", async () => {
  const page = await goLater("?company=Voices+Ltd");
  await page.getByRole("heading", { name: "Nothing matches" }).waitFor();
  await site().add("Nora Fresh");
  await page.clock.runFor(11_000);
  await rows(page).getByText("Nora Fresh").waitFor();
  await expect.poll(() => page.getByRole("button", { name: "1 new" }).count()).toBe(0);
});

test("a search finds the same by typing and on Enter, people before letters, in every state", async () => {
  const page = await go("?status=new&waiting=us");
  const search = page.getByRole("searchbox", { name: "Search" });
  const groups = page.locator(".section-name");
  await search.pressSequentially("ben");
  await page.waitForURL("**/console#q=ben");
  await expect.poll(() => groups.allInnerTexts()).toEqual(["People", "Letters"]);
  const people = page.locator(".rows").first();
  expect(new Set(await people.locator("strong").allInnerTexts())).toEqual(new Set(["Ben Novák"]));
  await expect.poll(() => people.locator("strong mark").first().innerText()).toBe("Ben");
  const found = await referencesIn(page);
  const bens = site()
    .submissions.filter(({ name }) => name === "Ben Novák")
    .map(({ reference }) => reference);
  expect(found.slice(0, bens.length)).toEqual(bens);
  expect(site().submissions.some(({ name, status }) => name === "Ben Novák" && status === "done")).toBe(true);
  await search.press("Enter");
  expect(page.url()).toBe(`${site().url}#q=ben`);
  expect(await referencesIn(page)).toEqual(found);
  const tabs = page.getByRole("navigation", { name: "By state" });
  expect(await tabs.locator("[aria-current]").allTextContents()).toEqual(["All"]);
  await tabs.getByRole("link", { name: "To do" }).click();
  await page.waitForURL("**/console?status=todo#q=ben");
  await expect.poll(() => page.locator(".rows .row:is(.status-done, .status-spam)").count()).toBe(0);

  await search.fill("phonetics");
  await expect.poll(() => groups.allInnerTexts()).toEqual(["Letters"]);
  const sentence = rows(page).first().locator(".row-summary .clip");
  await expect.poll(() => sentence.innerText()).toMatch(/^… .* phonetics laboratory, .* German\.$/);
  await expect.poll(() => sentence.locator("mark").allInnerTexts()).toEqual(["phonetics"]);
});

nightly("a submission that is opened while words are typed stays open, and they are searched for no more", async () => {
  const page = await goLater("?kind=inquiry");
  const search = page.getByRole("searchbox", { name: "Search" });
  const first = rows(page).first().locator("[data-reference]");
  const reference = (await first.getAttribute("data-reference"))!;
  // At once, so that the list has not been asked for the words.
  await search.evaluate((input) => {
    input.focus();
    document.execCommand("insertText", false, "ben");
    document.querySelector<HTMLElement>(".rows [data-reference]")!.click();
  });
  await page.getByRole("article", { name: reference }).getByRole("heading", { level: 1 }).waitFor();
  await page.clock.runFor(1_000);
  await expect.poll(() => search.inputValue()).toBe("");
  expect(page.url()).toBe(`${site().url}/inquiries/${reference}?kind=inquiry`);
});

nightly(
  "a search marks what it found: a part of what has no spaces, from one letter on, and folded letters",
  async () => {
    await site().add("株式会社東京音声");
    await site().add("Jürgen Groß");
    // The service indexes what another connection stored within a moment; a list that is shown is not searched anew.
    const found = async (letter: string) =>
      (await site().store.desk.listSubmissions(wholeScope, { letter }, {})).rows.length;
    await expect.poll(() => Promise.all([found("東京"), found("jurgen gross")])).toEqual([1, 1]);
    const page = await go("");
    const search = page.getByRole("searchbox", { name: "Search" });
    const marks = rows(page).first().locator("strong mark");
    for (const [words, marked] of [
      ["東京", "東京"],
      ["声", "声"],
      ["jurgen gross", "Jürgen Groß"],
    ] as const) {
      await search.fill(words);
      await expect.poll(async () => (await marks.allInnerTexts()).join(" ")).toBe(marked);
    }
  },
);

nightly("the next one of a search is the row below", async () => {
  const page = await go("#q=ben");
  await expect.poll(() => page.locator(".section-name").count()).toBe(2);
  const people = await page.locator(".rows").first().getByRole("listitem").count();
  const [last = "", next = ""] = (await referencesIn(page)).slice(people - 1);
  await page.locator(`[data-reference="${last}"]`).click();
  await page.getByRole("article", { name: last }).getByRole("heading").first().waitFor();
  await page.keyboard.press("j");
  await page.getByRole("article", { name: next }).getByRole("heading").first().waitFor();
});

nightly("a phone has one button for all filters, and what is set as chips", async () => {
  const page = await go("", phone);
  await rows(page).first().waitFor();
  await expect.poll(() => page.getByRole("combobox").count()).toBe(0);
  await page.getByRole("button", { name: "Filter" }).click();
  await page.getByRole("combobox", { name: "Assignee" }).selectOption("none");
  await page.getByRole("checkbox", { name: "Has a resume" }).click();
  await page.keyboard.press("Escape");
  const chips = page.getByRole("list", { name: "Filter" }).getByRole("link");
  await expect.poll(() => chips.allTextContents()).toEqual(["unassigned Remove", "has a resume Remove"]);
  const cut = await page
    .locator(".filters *")
    .evaluateAll((all) =>
      all.filter((one) => one.getBoundingClientRect().right > innerWidth).map((one) => one.outerHTML),
    );
  expect(cut).toEqual([]);
  await chips.first().click();
  await page.waitForURL("**/console?resume=yes");
});

nightly("undo stays until the next action, and says when there is nothing", async () => {
  const one = site().submissions.find(({ status }) => status === "open")!;
  const page = await goLater(pathOf(one));
  const setTo = (status: string) => page.getByRole("combobox", { name: "Status" }).selectOption(status);
  await page.getByRole("heading", { name: one.name }).focus();
  await page.keyboard.press("z");
  await page.getByText("There is nothing to undo.").waitFor();
  await setTo("new");
  await page.getByText("Set to new.").waitFor();
  await page.clock.runFor(600_000);
  await page.getByRole("heading", { name: one.name }).focus();
  await page.keyboard.press("z");
  await page.getByText("Undone.").waitFor();
  expect((await site().now(one.reference))[0]).toBe("open");
  await setTo("new");
  await page.getByRole("button", { name: "Undo" }).waitFor();
  await page.getByRole("textbox", { name: "Note" }).fill("Called.");
  await page.getByRole("button", { name: "Add note" }).click();
  await page.locator(".note-text").getByText("Called.").waitFor();
  await expect.poll(() => page.getByRole("button", { name: "Undo" }).count()).toBe(0);
});

nightly("rows that are done fade to their new state, and the keyboard goes to the row behind them", async () => {
  const page = await go();
  await page.emulateMedia({ reducedMotion: "no-preference" });
  await rows(page).first().waitFor();
  const [first, second, third] = await referencesIn(page);
  for (const at of [0, 1]) await rows(page).nth(at).getByRole("checkbox").check();
  await page.getByRole("toolbar").getByRole("button", { name: "Done" }).press("Enter");
  await expect.poll(() => focusedRow(page)).toBe(third);
  await expect.poll(async () => (await site().now(second!))[0]).toBe("done");
  const looks = await rows(page)
    .first()
    .evaluate((row) => {
      const { transitionProperty, transitionDuration } = getComputedStyle(row.querySelector(".row-link")!);
      const lines = [row, ...row.querySelectorAll("*")].map((one) => getComputedStyle(one).textDecorationLine);
      return { transitionProperty, transitionDuration, lines: [...new Set(lines)] };
    });
  expect(looks.transitionProperty).toContain("opacity");
  expect(looks.transitionDuration).not.toMatch(/^0s/);
  expect(looks.lines).toEqual(["none"]);
  await page.keyboard.press("z");
  await expect.poll(async () => (await site().now(first!))[0]).not.toBe("done");
  await page.emulateMedia({ reducedMotion: "reduce" });
});

nightly("after Done on its page, and after an erasure, the keyboard is on the next row", async () => {
  const page = await go();
  await rows(page).first().waitFor();
  const [first, second, third] = await referencesIn(page);
  await page.locator(`[data-reference="${first}"]`).click();
  await page.getByRole("button", { name: "Next" }).and(page.locator(":enabled")).waitFor();
  await page.getByRole("button", { name: "Done" }).press("Enter");
  await expect.poll(() => focusedRow(page)).toBe(second);
  await page.keyboard.press("Enter");
  await page.getByRole("article", { name: second! }).getByRole("link", { name: "All from this address" }).click();
  await page.getByRole("button", { name: "Erase" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Erase" }).click();
  await page.getByText(/^Erased: /).waitFor();
  await expect.poll(() => focusedRow(page)).toBe(third);
});

nightly(
  "a page that the role does not include is not found, once; a list in which nothing is new says what else is to be done",
  async () => {
    await using visit = await enter(browser(), site(), "/subscribers", { as: operators.cleo[0] });
    const { page } = visit;
    await page.getByRole("heading", { name: "Page not found" }).waitFor();
    await expect.poll(() => page.getByText("Not found", { exact: true }).count()).toBe(0);
    await moveTo(page, `${site().url}?status=new`);
    await rows(page).first().waitFor();
    for (const { reference } of await site().list({ kind: "application", status: "new" }))
      await site().changeAs(operators.cleo[0], reference, { status: "open" });
    await page.reload();
    await page.getByRole("heading", { name: "Nothing is new" }).waitFor();
    await page.getByText(/^\d+ to do\.$/).waitFor();
    await expect.poll(() => page.getByText("Nothing waits").count()).toBe(0);
    // No submission has been answered yet.
    await page.getByRole("link", { name: "Waiting for them" }).click();
    await page.getByRole("heading", { name: "Nothing waits for them" }).waitFor();
    await page.getByText(/^\d+ to do\.$/).waitFor();
  },
);

nightly("what could not be loaded beside the list stands together at the top", async () => {
  const page = await go();
  expectProblems(/ERR_FAILED|Failed to fetch/);
  await rows(page).first().waitFor();
  await page.route("**/{session.me,submission}*", (route) => route.abort());
  await rows(page).first().getByRole("link").click();
  const button = page.getByRole("button", { name: "Try again" });
  await button.waitFor();
  const [heading, its] = [await page.getByText("This could not be loaded").boundingBox(), await button.boundingBox()];
  expect(its!.y - heading!.y).toBeLessThan(120);
  await page.unroute("**/{session.me,submission}*");
});

nightly("what has the focus keeps its corners", async () => {
  const page = await go();
  await page.reload();
  const link = rows(page).first().getByRole("link");
  await link.waitFor();
  const corners = () => link.evaluate((one) => [getComputedStyle(one).borderRadius, one.matches(":focus-visible")]);
  const [before] = await corners();
  await page.keyboard.press("j");
  expect(await corners()).toEqual([before, true]);
});

nightly("the list follows the submission that is open, and its head hides no row that has the focus", async () => {
  const page = await go("?status=all");
  await rows(page).first().waitFor();
  const references = await referencesIn(page);
  const last = site().submissions.find(({ reference }) => reference === references.at(-1))!;
  await go(`${pathOf(last)}?status=all`);
  const isShown = (row: string) =>
    page.locator(row).evaluate((element) => {
      const { top, bottom } = element.getBoundingClientRect();
      return top >= document.querySelector(".list-head")!.getBoundingClientRect().bottom && bottom <= innerHeight;
    });
  await expect.poll(() => isShown(".rows .current")).toBe(true);
  await page.keyboard.press("Escape");
  await expect.poll(() => focusedRow(page)).toBe(last.reference);
  await expect.poll(() => isShown(":focus")).toBe(true);
  for (const _ of references.slice(20)) await page.keyboard.press("k");
  await expect.poll(() => isShown(":focus")).toBe(true);
  // On a phone, which has no list beside it, the way back leads to its row, too.
  await go("?status=all", phone);
  await page.locator(`[data-reference="${last.reference}"]`).click();
  await page.getByRole("button", { name: "Inbox" }).click();
  await expect.poll(() => focusedRow(page)).toBe(last.reference);
  await expect.poll(() => isShown(":focus")).toBe(true);
});

test("who is erased elsewhere is gone from the list, from the open page and from the page of the person", async () => {
  const one = await site().add("Nora Gone", "nora@gone.example");
  const page = await goLater(pathOf(one));
  later().expectProblems(/status of 404/);
  await page.reload();
  await page.getByRole("heading", { name: one.name }).waitFor();
  await page.locator(".rows .current").waitFor();
  for (const at of [0, 1]) await rows(page).nth(at).getByRole("checkbox").check();
  await page.keyboard.press("r");
  await page.keyboard.type("We");
  const erase = (email: string) =>
    site().store.desk.erasePerson(email, { operator: "ben@voices.example", at: Date.now() });
  await erase("nora@gone.example");
  await page.clock.runFor(11_000);
  await page.getByRole("heading", { name: "Not found" }).waitFor();
  await expect.poll(() => page.getByText(one.name).count()).toBe(0);
  await page.getByRole("toolbar").getByText("1 selected").waitFor();
  expect(await page.evaluate(() => Object.keys(localStorage).filter((name) => name.includes("draft")))).toEqual([]);
  await site().add("Olu Gone", "olu@gone.example");
  await goLater(personOf("olu@gone.example"));
  await page.getByRole("heading", { name: "Olu Gone" }).waitFor();
  await page.clock.runFor(6_000);
  await erase("olu@gone.example");
  await page.clock.runFor(11_000);
  await page.getByRole("heading", { name: "Not found" }).waitFor();
  await expect.poll(() => page.getByText("olu@gone.example").count()).toBe(0);
});

test("new submissions are offered without moving the rows, until they are loaded", async () => {
  const page = await goLater();
  later().expectProblems(/status of 429/);
  const first = rows(page).first().locator("strong");
  await first.waitFor();
  const name = await first.innerText();
  await site().add("Nora Fresh");
  await site().add("Olu Fresher");
  await page.clock.runFor(11_000);
  const offer = page.getByRole("button", { name: "2 new" });
  await offer.waitFor();
  await expect.poll(() => first.innerText()).toBe(name);
  const error = { code: -32029, message: "Too many requests.", data: { code: "TOO_MANY_REQUESTS" } };
  await routeNext(page, "**/inbox.list*", (route) => route.fulfill({ status: 429, json: { error } }));
  await offer.click();
  await page.getByText("Not loaded. Too many requests.").waitFor();
  await offer.click();
  await expect.poll(() => first.innerText()).toBe("Olu Fresher");
  await expect.poll(() => offer.count()).toBe(0);
});

nightly("a second operator overwrites nothing only another part of the page was told of", async () => {
  const one = await site().add("Nora Fresh");
  const page = await goLater(pathOf(one));
  await page.reload();
  await page.getByRole("heading", { name: one.name }).waitFor();
  const row = page.locator(".rows .current");
  await row.waitFor();
  await site().changeAs("ben@voices.example", one.reference, { assignee: "ben@voices.example" });
  await site().add("Nora Fresh");
  await page.clock.runFor(11_000);
  await page.getByRole("button", { name: "1 new" }).click();
  await expect.poll(() => row.locator(".assignee-name").count()).toBe(1);
  await expect.poll(() => page.getByRole("combobox", { name: "Assignee" }).inputValue()).toBe("ben@voices.example");

  await site().changeAs("ben@voices.example", one.reference, { status: "done" });
  await page.getByRole("textbox", { name: "Note" }).fill("Called.");
  await page.getByRole("button", { name: "Add note" }).click();
  await expect.poll(() => page.getByRole("combobox", { name: "Status" }).inputValue()).toBe("done");
  await expect.poll(() => row.locator(".mark").innerText()).toBe("Done");
});
