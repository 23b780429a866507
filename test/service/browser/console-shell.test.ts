// What stands around the pages of the console, the overview, and what a new installation shows.
import { describe, expect } from "vitest";
import { openBrowser, Visit } from "../../support/browser.ts";
import { atNight, nightly } from "../../support/many-or-few.ts";
import { shared } from "../../support/shared.ts";
import { ConsoleSite, operators } from "../../support/browser/console-site.ts";
import { enter, failNext, isWellMade, oneVisit, operator, rows, wide } from "../../support/browser/console-visit.ts";

const browser = shared(openBrowser);
const site = shared(() => ConsoleSite.open());

const brand = "Voices & <Sons>";
const empty = shared(() => ConsoleSite.open({ count: 0, env: { BRAND: brand } }));
const { go } = oneVisit(site);

nightly("the name of the installation stands in the tab, on the sign-in and above the places", async () => {
  await using visit = await Visit.begin(browser());
  const { page } = visit;
  await page.goto(empty().url);
  await page.locator(".card-brand").getByText(brand, { exact: true }).waitFor();
  await expect.poll(() => page.title()).toBe(`Sign in · ${brand}`);
  await empty().signIn(visit.context);
  await page.goto(`${empty().url}/overview`);
  await page.getByRole("link", { name: brand, exact: true }).waitFor();
  await expect.poll(() => page.title()).toBe(`Overview · ${brand}`);
});

nightly(
  "the menu of the account has the address, the settings, the shortcuts and the way out, by keyboard too",
  async () => {
    const page = await go("/mails");
    const button = page.getByRole("button", { name: /^Account of eva/ });
    expect(await page.getByRole("alert").filter({ hasText: /./ }).count()).toBe(0);
    await button.focus();
    await page.keyboard.press("Enter");
    const menu = page.locator(".account-menu:popover-open");
    await menu.getByText(operator, { exact: true }).waitFor();
    await menu.getByRole("button", { name: "Sign out" }).waitFor();
    if (atNight) await isWellMade(page);
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
    await expect.poll(() => menu.count()).toBe(0);
  },
);

nightly("an operator who is no assignee is called by the display name, too", async () => {
  const [mia] = operators.mia;
  await site().store.access.changeOperator(mia, { name: "Mia Market" }, { operator, at: Date.now() });
  await using visit = await enter(browser(), site(), "/subscribers", { as: mia });
  await visit.page.getByRole("button", { name: "Account of Mia Market" }).waitFor();
});

nightly("a page begins at its top, and is where it was on the way back", async () => {
  const page = await go("/overview", { viewport: { width: 1000, height: 400 } });
  const top = () => page.evaluate(() => Math.round(scrollY));
  const title = (name: string) => page.getByRole("heading", { name, exact: true, level: 1 }).waitFor();
  await title("Overview");
  await page.getByRole("heading", { level: 2 }).last().scrollIntoViewIfNeeded();
  const before = await top();
  expect(before).toBeGreaterThan(0);
  await page.getByRole("link", { name: "Subscribers" }).first().click();
  await title("Subscribers");
  await expect.poll(top).toBe(0);
  await page.goBack();
  await title("Overview");
  await expect.poll(top).toBe(before);
});

nightly.for([
  ["eva", ["session.me", "inbox.since", "inbox.list"]],
  ["mia", ["session.me"]],
] as const)(
  "the first rows are asked for together, once, while the script of the page is on its way, where %s sees them",
  async ([name, asks]) => {
    await using visit = await Visit.begin(browser(), wide);
    const { page, context } = visit;
    await site().signIn(context, operators[name][0]);
    const shown = () =>
      name === "eva"
        ? rows(page).first().waitFor()
        : page.getByRole("heading", { name: "Subscribers", exact: true }).waitFor();
    // The browser remembers whether the operator who is signed in sees the inbox.
    await page.goto(site().url);
    await shown();
    const asked: string[] = [];
    const all = Promise.withResolvers<void>();
    await page.route("**/trpc/*", async (route) => {
      asked.push(
        route
          .request()
          .url()
          .replace(/^.*\/trpc\//, ""),
      );
      if (asked.length === asks.length) all.resolve();
      // None waits for the answer to another.
      await all.promise;
      await route.continue();
    });
    await page.route("**/assets/console-*.js", async (route) => {
      await all.promise;
      await page.locator(".framed #root:empty").waitFor();
      await route.continue();
    });
    await page.goto(site().url);
    await shown();
    expect(asked.slice(0, asks.length)).toEqual(asks);
    const times = (procedure: string) => asked.filter((one) => one === procedure).length;
    // A page that is loaded later asks who is signed in once more.
    expect([times("session.me"), times("inbox.list")]).toEqual(name === "eva" ? [1, 1] : [2, 0]);
  },
);

nightly("rows that were asked for long before the page can show them are asked for again", async () => {
  await using visit = await Visit.begin(browser(), wide);
  const { page } = visit;
  visit.expectProblems(/status of 500/);
  await page.clock.install();
  await site().signIn(visit.context);
  await page.goto(site().url);
  await rows(page).first().waitFor();
  // The early call, and the tries after it.
  await failNext(page, "session.me", 4);
  const asked = page.waitForResponse("**/inbox.list*");
  await page.reload();
  await asked;
  await page.getByRole("heading", { name: "The console could not be loaded" }).waitFor();
  await site().add("Nora Later");
  await page.clock.fastForward("01:00:00");
  await page.getByRole("button", { name: "Try again" }).click();
  await rows(page).getByText("Nora Later").waitFor();
});

nightly("every page says that no mail goes out and that the disk is nearly full", async () => {
  await using visit = await Visit.begin(browser(), wide);
  const { page } = visit;
  await site().signIn(visit.context, operators.mia[0]);
  const json = { result: { data: { mail: true, disk: true } } };
  await page.route("**/overview.troubles*", (route) => route.fulfill({ json }));
  await page.goto(`${site().url}/subscribers`);
  for (const text of [/^No mail goes out/, /^The disk of this service is nearly full/])
    await page.getByRole("alert").filter({ hasText: text }).waitFor();
  if (atNight) await isWellMade(page);
  await page.getByRole("link", { name: "Queued mails" }).click();
  await page.waitForURL("**/console/mails?status=queued");
  await page
    .getByRole("alert")
    .filter({ hasText: /^No mail/ })
    .waitFor();
});

describe("a new installation", () => {
  const { go: goEmpty } = oneVisit(empty);

  nightly("shows others that nothing has come", async () => {
    await using visit = await enter(browser(), empty(), "", { as: operators.ben[0] });
    await visit.page.getByRole("heading", { name: "No submissions yet" }).waitFor();
    await visit.page.waitForLoadState("networkidle");
    await expect.poll(() => visit.page.locator(".first-steps").count()).toBe(0);
  });

  nightly(
    "says in an empty inbox that nothing came or waits, and takes no notice of what it does not know",
    async () => {
      const page = await goEmpty("?status=closed&utm_source=mail");
      const nothing = page.getByRole("heading", { name: "No submissions yet" });
      await nothing.waitFor();
      await page.getByRole("navigation", { name: "By state" }).getByRole("link", { name: "New" }).click();
      await page.getByRole("heading", { name: "Nothing waits" }).waitFor();
      await goEmpty("?kind=application");
      await page.getByRole("heading", { name: "No applications to do" }).waitFor();
      await goEmpty("?assignee=none");
      await page.getByRole("heading", { name: "Nothing is unassigned" }).waitFor();
      await goEmpty("/mails?status=lost");
      await page.getByText("No mail has failed.").waitFor();

      // A year that is being typed is the oldest there is.
      await goEmpty();
      await nothing.waitFor();
      const asked = page.waitForRequest("**/inbox.list*");
      await page.getByRole("button", { name: "More" }).click();
      await page.getByLabel("From").fill("0202-01-01");
      expect((await asked).postDataJSON()).toMatchObject({ filter: { from: 0 } });
      await page.keyboard.press("Escape");
      await page.getByRole("link", { name: "from 0202-01-01" }).click();
      await nothing.waitFor();
      expect(page.url()).toBe(empty().url);
    },
  );

  nightly("shows an administrator four steps until the first submission comes", async () => {
    const page = await goEmpty();
    const steps = page.locator(".first-steps");
    await steps.getByText(`<script type="module" src="${new URL(empty().url).origin}/forms.js"></script>`).waitFor();
    await expect
      .poll(() => steps.getByRole("heading").allInnerTexts())
      .toEqual([
        "Put a form into your page",
        "Send a test",
        expect.stringMatching(/^Invite your colleagues\s+done$/),
        "Connect mail",
      ]);
    if (atNight) await isWellMade(page);
    const forms = await steps.getByRole("link", { name: "the front page" }).getAttribute("href");
    expect((await fetch(forms!)).status).toBe(200);
    await steps.getByRole("link", { name: "Invite an operator" }).click();
    await page.getByRole("button", { name: "Invite" }).waitFor();
    await page.goBack();
    await steps.waitFor();
    await empty().add("Nora Bell");
    await page.reload();
    await page.getByRole("link", { name: /Nora Bell/ }).waitFor();
    await expect.poll(() => steps.count()).toBe(0);
  });
});

describe("the overview", () => {
  nightly("compares ranges, and its cards lead to their lists", async () => {
    const page = await go("/overview");
    await page.getByText(/^\d+ in the 30 days before$/).waitFor();
    // What waits longest is open, and is not the oldest of these. One came above: the page counts anew after half a minute.
    await page.getByRole("link", { name: /^New [67] \d+ open$/ }).waitFor();
    await isWellMade(page);
    await page.getByRole("combobox", { name: "Range" }).selectOption("7 days");
    await page.waitForURL("**/console/overview?days=7");
    await page.getByText(/^\d+ in the 7 days before$/).waitFor();
    await page.getByText("Show as a table").click();
    await expect.poll(() => page.getByRole("table").getByRole("row").count()).toBe(8);
    for (const [name, address] of [
      [/^Submissions \d+/, /\/console\?(?=.*status=all)(?=.*from=\d{4}-\d\d-\d\d)/],
      [/^Open for over 14 days/, /\/console\?(?=.*status=open)(?=.*until=\d)(?=.*order=oldest)/],
      [/^New for over 2 days/, /\/console\?(?=.*status=new)(?=.*until=\d)(?=.*order=oldest)/],
      [/^Mails that failed/, /\/console\/mails\?status=failed/],
    ] as const) {
      await page.getByRole("link", { name }).click();
      await page.waitForURL(address);
      await page.goBack();
    }
  });

  nightly("leads from a package, a position and an operator to their submissions", async () => {
    const page = await go("/overview?days=90");
    await page.getByText(/^\d+ in the 90 days before$/).waitFor();
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
