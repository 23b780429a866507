// The console in a real browser: signing in, the inbox, one submission, erasing, settings.
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { InboxRow } from "@submissions/shared/console";
import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { triageMax, wholeScope } from "../../../server/src/storage/desk-store.ts";
import { client } from "../../support/console/identity-provider.ts";
import { password } from "../../support/console/operator.ts";
import { accept, application } from "../../contract/records.ts";
import { openBrowser, Visit } from "../../support/browser.ts";
import { freePort } from "../../support/free-port.ts";
import { PostmarkStandIn } from "../../support/postmark-stand-in.ts";
import { anew, shared } from "../../support/shared.ts";
import { ConsoleSite, operators, resumePdf } from "../../support/browser/console-site.ts";
import { endSessionsAt, enter, failNext, fillSignIn, operator, signOut } from "../../support/browser/console-visit.ts";

const browser = shared(openBrowser);
const site = anew(() => ConsoleSite.open());

const pathOf = ({ kind, reference }: Pick<InboxRow, "kind" | "reference">) =>
  `/${kind === "inquiry" ? "inquiries" : "applications"}/${reference}`;
const firstWith = (fits: (one: InboxRow) => boolean): InboxRow => {
  const found = site().submissions.find(fits);
  if (found === undefined) throw new Error("The fixtures have no such submission.");
  return found;
};
const rows = (page: Page) => page.locator(".rows .row");
/** Ends the session for the next call that asks who is signed in. Other calls still work, so that none of them ends it first. */
const endSession = (page: Page) =>
  page.route("**/session.me*", (route) => route.fulfill({ json: { result: { data: null } } }), { times: 1 });
const statusOf = (page: Page) => page.getByRole("combobox", { name: "Status" }).inputValue();

describe("signing in", () => {
  // Its provider is never asked.
  const oidc = { OIDC_ISSUER: "http://127.0.0.1:9", OIDC_CLIENT_ID: client.id, OIDC_CLIENT_SECRET: client.secret };

  test("happens at the address of a mail's link and shows what it leads to", async () => {
    const one = site().submissions[0]!;
    await using visit = await Visit.begin(browser());
    const { page } = visit;
    visit.expectProblems(/status of 401/);
    await page.goto(site().url + pathOf(one));
    await fillSignIn(page, "wrong");
    await page.getByText("The e-mail address or the password is wrong.").waitFor();
    await fillSignIn(page);
    await page.getByRole("heading", { name: one.name }).waitFor();
    expect(page.url()).toBe(site().url + pathOf(one));
    await signOut(page);
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
  });

  test("a sign-in at the provider leads back to the page that asked for it", async () => {
    await using offering = await ConsoleSite.open({ env: oidc });
    const one = offering.submissions[0]!;
    await using visit = await Visit.begin(browser());
    const { page, context } = visit;
    // As the service after the provider has let the operator in.
    await page.route("**/oidc/start", async (route) => {
      await offering.signIn(context);
      await route.fulfill({ status: 302, headers: { location: offering.url } });
    });
    await page.goto(`${offering.url}${pathOf(one)}?status=new`);
    await page.getByRole("button", { name: "Continue with your organisation" }).click();
    await page.getByRole("heading", { name: one.name }).waitFor();
    expect(page.url()).toBe(`${offering.url}${pathOf(one)}?status=new`);
    await page.goto(offering.url);
    await rows(page).first().waitFor();
    expect(page.url()).toBe(offering.url);
  });

  test("a sign-in with the password leaves nothing of one that was begun at the provider", async () => {
    await using offering = await ConsoleSite.open({ env: oidc });
    const one = offering.submissions[0]!;
    await using visit = await Visit.begin(browser());
    const { page } = visit;
    // The page stays as it is.
    await page.route("**/oidc/start", (route) => route.fulfill({ status: 204 }));
    await page.goto(`${offering.url}${pathOf(one)}`);
    const begun = page.waitForResponse("**/oidc/start");
    await page.getByRole("button", { name: "Continue with your organisation" }).click();
    await begun;
    await fillSignIn(page);
    await page.getByRole("heading", { name: one.name }).waitFor();
    await page.goto(offering.url);
    await rows(page).first().waitFor();
    expect(page.url()).toBe(offering.url);
  });

  test("an invitation sets a password and signs in", async () => {
    await using visit = await Visit.begin(browser());
    const { page, context } = visit;
    visit.expectProblems(/status of 400/);
    await page.goto(`${site().url}/invitation#token=${await site().invite("nils@voices.example", "sales")}`);
    await page.getByText("nils@voices.example").waitFor();
    await page.getByText("Sales", { exact: true }).waitFor();
    await page.getByRole("textbox", { name: "Display name" }).fill("Nils Holm");
    await page.getByLabel("Password").fill("password12345");
    await page.getByRole("button", { name: "Set password" }).click();
    await page.getByText("This password is too common.").waitFor();
    await page.getByLabel("Password").fill("vermilion kettle 41");
    await page.getByRole("button", { name: "Set password" }).click();
    await page.getByRole("heading", { name: "Inbox" }).waitFor();
    expect((await site().store.access.findOperator("nils@voices.example"))?.name).toBe("Nils Holm");
    expect([new URL(page.url()).search, new URL(page.url()).hash]).toEqual(["", ""]);
    const cookies = (await context.cookies()).toSorted((a, b) => a.name.localeCompare(b.name));
    expect(cookies).toMatchObject([
      { name: "console-device", path: "/console", httpOnly: true, sameSite: "Strict" },
      { name: "console-session", path: "/console", httpOnly: true, sameSite: "Strict" },
    ]);
  });

  test("a link on a page of another site, whose request brings no cookie, leads to its submission", async () => {
    const one = site().submissions[0]!;
    await using visit = await enter(browser(), site());
    const { page } = visit;
    await page.goto(`data:text/html,<a href="${site().url}${pathOf(one)}">the inquiry</a>`);
    await page.getByText("the inquiry").click();
    await page.getByRole("heading", { name: one.name }).waitFor();
  });

  test("the next operator finds nothing of what the one who signed out has typed", async () => {
    const one = firstWith(({ kind }) => kind === "inquiry");
    await using visit = await enter(browser(), site(), pathOf(one));
    const { page } = visit;
    const note = page.getByRole("textbox", { name: "Note" });
    await note.fill("Between us");
    await signOut(page);
    await fillSignIn(page, password, operators.ben[0]);
    await page.getByRole("heading", { name: one.name }).waitFor();
    expect(await note.inputValue()).toBe("");
  });

  test("a sign-out that fails is said, and one without a session shows the sign-in", async () => {
    await using visit = await enter(browser(), site());
    const { page } = visit;
    visit.expectProblems(/ERR_FAILED/, /status of 401/);
    await rows(page).first().waitFor();
    await page.route("**/session.signOut*", (route) => route.abort(), { times: 1 });
    await signOut(page);
    await page.getByText("Not signed out. The server cannot be reached.").waitFor();
    await endSessionsAt(page, site(), "session.signOut");
    await signOut(page);
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
  });

  test("a tab follows what another one did: its operator signed out, and another one signed in", async () => {
    const one = firstWith(({ kind }) => kind === "inquiry");
    await using visit = await enter(browser(), site(), pathOf(one));
    const { page, context } = visit;
    const isShown = () => page.evaluate(() => dispatchEvent(new Event("focus")));
    const note = page.getByRole("textbox", { name: "Note" });
    await note.fill("Between us");
    const other = await context.newPage();
    await other.goto(site().url);
    await signOut(other);
    await other.getByRole("heading", { name: "Sign in" }).waitFor();
    await isShown();
    await page.getByRole("dialog", { name: "Your session has ended" }).waitFor();
    await fillSignIn(other, password, operators.ben[0]);
    await other.locator("#content").waitFor();
    await isShown();
    await page.locator(".who").getByText("ben.hart").first().waitFor();
    expect(await note.inputValue()).toBe("");
  });

  test("a tab that asks to sign in goes on once the operator has signed in in another one", async () => {
    const one = site().submissions[0]!;
    await using visit = await Visit.begin(browser());
    const { page, context } = visit;
    await page.goto(`${site().url}${pathOf(one)}`);
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    const other = await context.newPage();
    await other.goto(site().url);
    await fillSignIn(other);
    await rows(other).first().waitFor();
    await page.evaluate(() => dispatchEvent(new Event("focus")));
    await page.getByRole("heading", { name: one.name }).waitFor();
  });

  test("marketing begins with the subscribers and is offered nothing else of its colleagues", async () => {
    await using visit = await enter(browser(), site(), "", { as: operators.mia[0] });
    await visit.page.getByRole("heading", { name: "Subscribers", exact: true }).waitFor();
    const places = await visit.page.getByRole("navigation", { name: "Console" }).getByRole("link").allInnerTexts();
    expect(places.map((text) => text.trim())).toEqual(["Subscribers", "Mails", "Settings"]);
  });
});

describe("the inbox", () => {
  const empty = shared(() => ConsoleSite.open({ count: 0 }));

  test("keeps its filter in the address, and Back returns to it", async () => {
    await using visit = await enter(browser(), site());
    const { page } = visit;
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

  test("takes no notice of parts of an address that it does not know", async () => {
    await using visit = await enter(browser(), empty(), "?status=closed&utm_source=mail");
    const { page } = visit;
    await page.getByRole("heading", { name: "No submissions yet" }).waitFor();
    await page.goto(`${empty().url}/mails?status=lost`);
    await page.getByText("No mail has failed.").waitFor();
  });

  test("takes a year that is being typed for the oldest there is", async () => {
    await using visit = await enter(browser(), empty());
    const { page } = visit;
    await page.getByRole("heading", { name: "No submissions yet" }).waitFor();
    const asked = page.waitForRequest("**/inbox.list*");
    await page.getByRole("button", { name: "More" }).click();
    await page.getByLabel("From").fill("0202-01-01");
    expect((await asked).postDataJSON()).toMatchObject({ filter: { from: 0 } });
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "from 0202-01-01" }).click();
    await page.getByRole("heading", { name: "No submissions yet" }).waitFor();
    expect(page.url()).toBe(empty().url);
  });

  test("searches names and letters as they are typed", async () => {
    await using visit = await enter(browser(), site());
    const { page } = visit;
    const search = page.getByRole("searchbox", { name: "Search" });
    await search.pressSequentially("kalomi");
    await page.waitForURL("**/console#q=kalomi");
    await expect
      .poll(() =>
        rows(page)
          .locator("strong")
          .allInnerTexts()
          .then((names) => [...new Set(names)]),
      )
      .toEqual(["Anna Müller"]);
    await search.fill("phonetics");
    await page.waitForURL("**/console#q=phonetics");
    await expect.poll(() => rows(page).count()).toBeGreaterThan(3);
    await page.goto(`${site().url}#letter=kalomi`);
    await expect.poll(() => search.inputValue()).toBe("kalomi");
  });

  test("no server on the way is told what is searched for, and an old address is rewritten", async () => {
    await using visit = await enter(browser(), site());
    const { page } = visit;
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.getByRole("searchbox", { name: "Search" }).pressSequentially("kalomi");
    await page.waitForURL("**/console#q=kalomi");
    await page.getByRole("navigation", { name: "By state" }).getByRole("link", { name: "New" }).click();
    await page.waitForURL("**/console?status=new#q=kalomi");
    await page.reload();
    await rows(page).first().waitFor();
    await page.goto(`${site().url}?order=oldest#q=kalomi`);
    await rows(page).first().locator("a").first().click();
    await page.getByRole("link", { name: "All from this address" }).click();
    await page.getByRole("heading", { name: "anna.mueller@kalomi.example" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "anna.mueller@kalomi.example" }).waitFor();
    await page.goBack();
    await page.goBack();
    await page.waitForURL("**/console?order=oldest#q=kalomi");
    expect(asked.filter((url) => /kalomi(?!\.js)/.test(url.split("#")[0]!))).toEqual([]);

    await page.goto(`${site().url}?q=kalomi&status=new`);
    await page.waitForURL("**/console?status=new#q=kalomi");
    await expect.poll(() => page.getByRole("searchbox", { name: "Search" }).inputValue()).toBe("kalomi");
  });

  test("shows older submissions page by page", async () => {
    await using visit = await enter(browser(), site(), "?status=all");
    const { page } = visit;
    const total = site().submissions.filter(({ status }) => status !== "spam").length;
    await expect.poll(() => rows(page).count()).toBe(50);
    await page.getByRole("button", { name: "Show older" }).click();
    await expect.poll(() => rows(page).count()).toBe(100);
    await page.getByRole("button", { name: "Show older" }).click();
    await expect.poll(() => rows(page).count()).toBe(total);
    expect(await page.getByRole("button", { name: "Show older" }).count()).toBe(0);
  });

  test("says why older submissions could not be loaded", async () => {
    await using visit = await enter(browser(), site(), "?status=all");
    const { page } = visit;
    visit.expectProblems(/status of 500/);
    await expect.poll(() => rows(page).count()).toBe(50);
    await failNext(page, "inbox.list", 3);
    await page.getByRole("button", { name: "Show older" }).click();
    await page.getByText("Not loaded. Something went wrong on the server.").waitFor();
    await page.getByRole("button", { name: "Show older" }).click();
    await expect.poll(() => rows(page).count()).toBe(100);
    expect(await page.getByText("Not loaded.").count()).toBe(0);
  });

  test("offers new submissions without moving its rows", async () => {
    await using visit = await Visit.begin(browser());
    const { page } = visit;
    await page.clock.install();
    await page.goto(site().url);
    await fillSignIn(page);
    await rows(page).first().waitFor();
    await site().add("Nora Fresh");
    await site().add("Olu Fresher");
    await page.clock.runFor(11_000);
    const offer = page.getByRole("button", { name: "2 new" });
    await offer.waitFor();
    expect(await rows(page).first().locator("strong").innerText()).toBe("Anna Müller");
    await offer.click();
    await expect.poll(() => rows(page).first().locator("strong").innerText()).toBe("Olu Fresher");
    expect(await offer.count()).toBe(0);
  });

  test("leaves the keyboard on a row when the buttons for the selected ones are gone", async () => {
    await using visit = await enter(browser(), site(), "?status=new");
    const { page } = visit;
    const bar = page.getByRole("toolbar", { name: "Selected submissions" });
    const [, second, third] = site().submissions.filter(({ status }) => status === "new");
    const focused = () => page.evaluate(() => (document.activeElement as HTMLElement).dataset["reference"]);
    await rows(page).nth(1).getByRole("checkbox").check();
    await bar.getByRole("button", { name: "Open" }).press("Enter");
    await expect.poll(focused).toBe(second!.reference);
    await rows(page).nth(2).getByRole("checkbox").check();
    await bar.getByRole("button", { name: "Assign" }).press("Enter");
    await page.getByRole("dialog").getByRole("button", { name: operator }).press("Enter");
    await expect.poll(focused).toBe(third!.reference);
  });

  test("offers new submissions until they are loaded, and says why they could not be", async () => {
    await using visit = await Visit.begin(browser());
    const { page } = visit;
    visit.expectProblems(/status of 429/);
    await page.clock.install();
    await page.goto(site().url);
    await fillSignIn(page);
    await rows(page).first().waitFor();
    await site().add("Nora Fresh");
    await page.clock.runFor(11_000);
    const error = { code: -32029, message: "Too many requests.", data: { code: "TOO_MANY_REQUESTS" } };
    await page.route("**/inbox.list*", (route) => route.fulfill({ status: 429, json: { error } }), { times: 1 });
    const offer = page.getByRole("button", { name: "1 new" });
    await offer.click();
    await page.getByText("Not loaded. Too many requests.").waitFor();
    await offer.click();
    await expect.poll(() => rows(page).first().locator("strong").innerText()).toBe("Nora Fresh");
    expect(await offer.count()).toBe(0);
  });

  test("works from the keyboard alone", async () => {
    await using visit = await enter(browser(), site(), "?status=new");
    const { page } = visit;
    await rows(page).first().waitFor();
    const [first, second, third] = site().submissions.filter(({ status }) => status === "new") as [
      InboxRow,
      InboxRow,
      InboxRow,
    ];
    await page.keyboard.press("j");
    await page.keyboard.press("e");
    await page.getByText("Set to done.").waitFor();
    expect(await site().now(first.reference)).toEqual(["done", null]);
    expect(await page.evaluate(() => (document.activeElement as HTMLElement).dataset["reference"])).toBe(
      second.reference,
    );
    expect(await rows(page).first().getAttribute("class")).toContain("dimmed");
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
    expect(await page.getByRole("searchbox").evaluate((box) => box === document.activeElement)).toBe(true);
    await page.keyboard.press("e");
    expect(await page.getByRole("searchbox").inputValue()).toBe("e");
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await page.keyboard.press("Escape");
    expect(await page.getByRole("dialog").count()).toBe(0);
  });

  test("changes all that match once their number is confirmed, and leaves what another operator changed", async () => {
    const matching = site().submissions.filter(({ status }) => status === "done");
    const [other, erased] = matching;
    await using visit = await enter(browser(), site(), "?status=done");
    const { page } = visit;
    const changes: string[] = [];
    page.on("request", (request) => request.url().includes("inbox.triage") && changes.push(request.url()));
    await rows(page).first().getByRole("checkbox").check();
    const bar = page.getByRole("toolbar", { name: "Selected submissions" });
    await bar.getByRole("button", { name: /^Select all \d+$/ }).click();
    await bar.getByRole("button", { name: "Select all that match" }).click();
    await bar.getByText("All that match").waitFor();
    await bar.getByRole("button", { name: "Open" }).click();
    const dialog = page.getByRole("dialog", { name: "Change all that match?" });
    await dialog.getByText(`Set ${matching.length} submissions to open?`).waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    expect(changes).toEqual([]);

    await rows(page).first().getByRole("checkbox").check();
    await bar.getByRole("button", { name: /^Select all \d+$/ }).click();
    await bar.getByRole("button", { name: "Select all that match" }).click();
    await bar.getByRole("button", { name: "Open" }).click();
    await dialog.getByRole("button", { name: `Change ${matching.length}` }).waitFor();
    await site().changeAs("ben@voices.example", other!.reference, { status: "spam" });
    site().erase(erased!.reference);
    await dialog.getByRole("button", { name: `Change ${matching.length}` }).click();
    await page.getByText(`${matching.length - 2} submissions: Set to open.`).waitFor();
    await page.getByText("1 was changed by ben meanwhile and stays as it is.").waitFor();
    await page.getByText("1 submission could not be found any more.").waitFor();
    const left = await site().store.desk.listSubmissions(wholeScope, { status: "done" }, {});
    expect(left.rows).toEqual([]);
    expect((await site().now(other!.reference))[0]).toBe("spam");
  });

  test("changes all that are selected, also more than one call takes", async () => {
    const from = Date.now();
    await Promise.all(Array.from({ length: triageMax + 1 }, () => site().add("Nora Fresh")));
    const chosen = (status: InboxRow["status"]) => site().list({ from, status });
    await using visit = await enter(browser(), site());
    const { page } = visit;
    // In one page, not in the many that a person would load.
    await page.route("**/inbox.list*", async (route) =>
      route.fulfill({ json: { result: { data: { rows: await chosen("new"), next: null } } } }),
    );
    await page.reload();
    await rows(page).first().getByRole("checkbox").check();
    const bar = page.getByRole("toolbar", { name: "Selected submissions" });
    await bar.getByRole("button", { name: /^Select all/ }).click();
    await bar.getByRole("button", { name: "Done" }).click();
    await page.getByText("1,001 submissions: Set to done.").waitFor();
    expect(await chosen("done")).toHaveLength(triageMax + 1);
    await page.keyboard.press("z");
    await page.getByText("Undone.").waitFor();
    expect(await chosen("new")).toHaveLength(triageMax + 1);
  });

  test("tells of several which ones stay as another operator left them", async () => {
    const [changed, taken, erased] = site().submissions.filter(({ status }) => status === "new");
    await using visit = await enter(browser(), site(), "?status=new");
    const { page } = visit;
    await rows(page).first().waitFor();
    for (const index of [0, 1, 2]) await rows(page).nth(index).getByRole("checkbox").check();
    await site().changeAs("ben@voices.example", taken!.reference, { status: "spam" });
    site().erase(erased!.reference);
    await page.getByRole("toolbar").getByRole("button", { name: "Open" }).click();
    await page.getByText("Set to open.").waitFor();
    await page.getByText("1 was changed by ben meanwhile and stays as it is.").waitFor();
    await page.getByText("1 submission could not be found any more.").waitFor();
    const statuses = [changed!, taken!].map(async ({ reference }) => (await site().now(reference))[0]);
    expect(await Promise.all(statuses)).toEqual(["open", "spam"]);
  });

  test("says that nothing waits, and that there is nothing yet", async () => {
    await using visit = await enter(browser(), empty());
    const { page } = visit;
    await page.getByRole("heading", { name: "No submissions yet" }).waitFor();
    await page.getByRole("navigation", { name: "By state" }).getByRole("link", { name: "New" }).click();
    await page.getByRole("heading", { name: "Nothing waits" }).waitFor();
  });

  test("offers another try after a failure, and tells that it is offline", async () => {
    await using visit = await enter(browser(), site());
    const { page, context } = visit;
    visit.expectProblems(/status of 500|ERR_INTERNET_DISCONNECTED/);
    await rows(page).first().waitFor();
    await failNext(page, "inbox.list", 3);
    await page.getByRole("combobox", { name: "Kind" }).selectOption("inquiry");
    await page.getByRole("button", { name: "Try again" }).click();
    await rows(page).first().waitFor();
    await context.setOffline(true);
    await page.getByText("You are offline.").waitFor();
    await context.setOffline(false);
    await page.getByText("You are offline.").waitFor({ state: "detached" });
  });
});

describe("a submission", () => {
  test("shows what was sent as people read it", async () => {
    // Its notice has failed.
    const one = firstWith(({ kind, hasResume }) => kind === "application" && hasResume);
    await using visit = await enter(browser(), site(), pathOf(one));
    const { page } = visit;
    await page.getByRole("heading", { name: one.name }).waitFor();
    expect(await page.getByRole("link", { name: "+44 (0)20 7946-0018" }).getAttribute("href")).toBe(
      "tel:+442079460018",
    );
    expect(await page.getByRole("link", { name: one.email, exact: true }).getAttribute("href")).toBe(
      `mailto:${one.email}`,
    );
    expect(await page.locator("p.letter").innerText()).toContain("\n\nI am writing");
    // What a stranger wrote as an address leads nowhere from here.
    await page.getByText("https://portfolio.example/ben-novak/samples").waitFor();
    await page.getByRole("button", { name: "Copy the address of Portfolio" }).waitFor();
    expect(await page.locator(".fields a[href^=http]:not([href*='/console/'])").count()).toBe(0);
    await page.getByText("2026-11").waitFor();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download resume" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("ben-novak-resume.pdf");
    expect(await readFile(await download.path(), "utf8")).toBe(resumePdf);
    await page.getByRole("button", { name: "Show resume" }).click();
    const viewer = page.frameLocator("iframe[title=Resume]");
    const drawn = viewer.getByRole("img", { name: "Page 1: Curriculum vitae" });
    await drawn.waitFor();
    // Something is on it: not every pixel is white.
    const dark = await drawn.evaluate((canvas: HTMLCanvasElement) => {
      const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
      return data.filter((value, index) => index % 4 === 0 && value < 128).length;
    });
    expect(dark).toBeGreaterThan(100);
    expect(await viewer.locator("body").evaluate(() => origin)).toBe("null");
    const { rows: audit } = await site().store.desk.listAudit({});
    expect(audit[0]).toMatchObject({ action: "resume.view", subject: one.reference, operator });
    // The mail that failed goes out without a question.
    await page.getByRole("button", { name: "Send again" }).last().click();
    await page.getByText("The mail is on its way.").waitFor();
  });

  test("a mail that was sent is sent again only after a question", async () => {
    const mails = async () =>
      (await site().store.desk.listMails(wholeScope, undefined, { limit: 100 })).rows.map(({ id }) => id);
    const before = await mails();
    await using visit = await enter(browser(), site(), "/mails?status=sent");
    const { page } = visit;
    const notice = page.getByRole("row").filter({ hasText: "the team" }).first();
    const again = notice.getByRole("button", { name: "Send again" });
    const question = page.getByRole("dialog", { name: "Send this mail again?" });
    await again.click();
    await question.getByText("Its recipient gets it a second time.").waitFor();
    await question.getByRole("button", { name: "Cancel" }).click();
    await question.waitFor({ state: "detached" });
    expect(await mails()).toEqual(before);
    await again.click();
    await question.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByText("The mail is on its way.").waitFor();
    expect((await mails())[0]).not.toBe(before[0]);
  });

  test("has no button to copy over plain HTTP, where browsers have no clipboard", async () => {
    await using plainBrowser = await openBrowser("--host-resolver-rules=MAP site.example 127.0.0.1");
    const port = String(await freePort());
    const env = { PORT: port, PUBLIC_URL: `http://site.example:${port}` };
    await using plain = await ConsoleSite.open({ env });
    const one = plain.submissions.find(({ kind }) => kind === "application")!;
    await using visit = await enter(plainBrowser, plain, pathOf(one));
    await visit.page.getByText("https://portfolio.example/ben-novak/samples").waitFor();
    expect(await visit.page.getByRole("button", { name: "Copy" }).count()).toBe(0);
  });

  test("a second operator is told of the first one's change, overwrites nothing and loses no text", async () => {
    const one = firstWith(({ status }) => status === "new");
    await using visit = await enter(browser(), site(), pathOf(one));
    const { page } = visit;
    await page.getByRole("textbox", { name: "Note" }).fill("Half a sentence");
    await site().changeAs("ben@voices.example", one.reference, { status: "done" });
    await page.getByRole("combobox", { name: "Status" }).selectOption("open");
    await page.getByText("Ben set this to done 2 min ago. Your change was not made.").waitFor();
    await expect.poll(() => statusOf(page)).toBe("done");
    expect(await page.getByRole("textbox", { name: "Note" }).inputValue()).toBe("Half a sentence");
    await page.getByRole("combobox", { name: "Status" }).selectOption("open");
    await page.getByText("Set to open.").waitFor();
    expect((await site().now(one.reference))[0]).toBe("open");
  });

  test("a second operator is told when the first one assigned it", async () => {
    const one = firstWith(({ status, assignee }) => status === "new" && assignee === null);
    await using visit = await enter(browser(), site(), pathOf(one));
    const { page } = visit;
    const markAsOpen = () => page.getByRole("combobox", { name: "Status" }).selectOption("open");
    await page.getByRole("heading", { name: one.name }).waitFor();
    await site().changeAs("ben@voices.example", one.reference, { assignee: "ben@voices.example" });
    // After a change the page reads the submission again: not what is changed next.
    const readAgain = page.waitForResponse("**/submission.get*");
    await markAsOpen();
    await readAgain;
    await page.getByText("Ben assigned this to ben 2 min ago. Your change was not made.").waitFor();
    await expect.poll(() => statusOf(page)).toBe("new");
    await site().changeAs("ben@voices.example", one.reference, { assignee: null });
    await markAsOpen();
    await page.getByText("Ben unassigned this 2 min ago. Your change was not made.").waitFor();
    expect(await site().now(one.reference)).toEqual(["new", null]);
  });

  test("nor does a change overwrite anything that was asked for before the page was told of the other one", async () => {
    const one = firstWith(({ status, assignee }) => status === "new" && assignee === null);
    await using visit = await enter(browser(), site(), pathOf(one));
    const { page } = visit;
    await page.getByRole("heading", { name: one.name }).waitFor();
    await site().changeAs("ben@voices.example", one.reference, { status: "done", assignee: "ben@voices.example" });
    const asked = Promise.withResolvers<void>();
    await page.route("**/inbox.triage*", async (route) => {
      await asked.promise;
      await route.continue();
    });
    await page.getByRole("combobox", { name: "Status" }).selectOption("open");
    await page.getByRole("combobox", { name: "Assignee" }).selectOption({ label: "eva (me)" });
    const second = page.waitForResponse(async (response) => {
      const sent = response.request().postData() ?? "";
      return response.url().includes("inbox.triage") && sent.includes("assignee");
    });
    asked.resolve();
    await second;
    await page.getByText("Your change was not made.").first().waitFor();
    expect(await site().now(one.reference)).toEqual(["done", "ben@voices.example"]);
    await expect.poll(() => statusOf(page)).toBe("done");
  });

  test("nor what only another part of the page was told of", async () => {
    const one = firstWith(({ status, assignee }) => status === "new" && assignee === null);
    await using visit = await Visit.begin(browser(), { viewport: { width: 1440, height: 900 } });
    const { page } = visit;
    await page.clock.install();
    await page.goto(site().url + pathOf(one));
    await fillSignIn(page);
    await page.getByRole("heading", { name: one.name }).waitFor();
    const row = page.locator(".rows .current");
    await row.waitFor();
    await site().changeAs("ben@voices.example", one.reference, { assignee: "ben@voices.example" });
    await site().add("Nora Fresh");
    await page.clock.runFor(11_000);
    await page.getByRole("button", { name: "1 new" }).click();
    await expect.poll(() => row.locator(".assignee-name").count()).toBe(1);
    expect(await page.getByRole("combobox", { name: "Assignee" }).inputValue()).toBe("ben@voices.example");

    await site().changeAs("ben@voices.example", one.reference, { status: "done" });
    await page.getByRole("textbox", { name: "Note" }).fill("Called.");
    await page.getByRole("button", { name: "Add note" }).click();
    await expect.poll(() => statusOf(page)).toBe("done");
    expect(await row.locator(".mark").innerText()).toBe("Done");
  });

  test("texts are written in the direction of their script, and cut at their end", async () => {
    const name = "محمد بن عبد الله الخوارزمي".repeat(3);
    const arabic = { position: "معلّق صوتي. ".repeat(40), coverLetter: "Dear team,\nالسادة الكرام، أسجل الكتب!" };
    const { reference } = await accept(site().store, application(500, { name, receivedAt: Date.now(), ...arabic }));
    await using visit = await enter(browser(), site(), `/applications/${reference}`);
    const { page } = visit;
    const row = rows(page).first();
    // What does not fit lies to the left of a text that begins at the right.
    for (const part of [row.locator("strong"), row.locator(".row-summary .clip")]) {
      const scrolled = await part.evaluate((cut) => {
        cut.scrollLeft = -1_000;
        return [cut.scrollWidth > cut.clientWidth, cut.scrollLeft < 0];
      });
      expect(scrolled).toEqual([true, true]);
    }
    const ends = await page.locator("p.letter").evaluate((letter) => {
      const { left, right } = letter.getBoundingClientRect();
      const range = new Range();
      range.selectNodeContents(letter);
      const lines = [...range.getClientRects()];
      return [lines[0]!.left - left < 1, right - lines.at(-1)!.right < 1];
    });
    expect(ends).toEqual([true, true]);
  });

  test("only operators who see the submission are offered to assign it to", async () => {
    const one = firstWith(({ kind, status }) => kind === "inquiry" && status === "new");
    await using visit = await enter(browser(), site(), pathOf(one));
    const { page } = visit;
    await page.getByRole("heading", { name: one.name }).waitFor();
    const offered = () => page.getByRole("combobox", { name: "Assignee" }).getByRole("option").allInnerTexts();
    await expect.poll(offered).toEqual(["Unassigned", "eva (me)", "ben.hart"]);
    await page.keyboard.press("a");
    const choices = page.getByRole("dialog").getByRole("listitem");
    await expect
      .poll(async () => (await choices.allInnerTexts()).map((text) => text.split("@")[0]?.trim().split("\n").at(-1)))
      .toEqual(["eva", "Unassigned", "ben.hart"]);
  });

  test("a session that ends in the middle of a change asks to sign in, and then makes the change", async () => {
    const one = firstWith(({ status }) => status === "new");
    await using visit = await enter(browser(), site(), pathOf(one));
    const { page } = visit;
    visit.expectProblems(/status of 401/);
    await page.getByRole("textbox", { name: "Note" }).fill("Called, asks for a quote.");
    await endSessionsAt(page, site(), "submission.addNote");
    await page.getByRole("button", { name: "Add note" }).click();
    const dialog = page.getByRole("dialog", { name: "Your session has ended" });
    await dialog.waitFor();
    expect(await dialog.getByLabel("E-mail address").inputValue()).toBe(operator);
    await fillSignIn(page);
    await page.locator(".note-text").getByText("Called, asks for a quote.").waitFor();
    expect(await page.getByRole("textbox", { name: "Note" }).inputValue()).toBe("");
    const { notes } = await site().detail(one.reference);
    expect(notes.map(({ text }) => text)).toContain("Called, asks for a quote.");
  });

  test("the dialog that asks to sign in stays until it is answered, however often Escape is pressed", async () => {
    await using visit = await enter(browser(), site(), "/settings");
    const { page } = visit;
    const dialog = page.getByRole("dialog", { name: "Your session has ended" });
    visit.expectProblems(/status of 401/);
    await endSessionsAt(page, site(), "tokens.create");
    await page.getByRole("button", { name: "Create token" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Nightly export");
    await page.keyboard.press("Enter");
    await dialog.getByLabel("Password").fill(password);
    for (let pressed = 0; pressed < 4; pressed += 1) await page.keyboard.press("Escape");
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("textbox", { name: "API token" }).waitFor();
  });

  test.each([
    ["a download", "Download resume"],
    ["a resume that is to be shown", "Show resume"],
  ])("where the session has ended, %s waits for a sign-in", async (_what, name) => {
    const one = firstWith(({ kind, hasResume }) => kind === "application" && hasResume);
    await using visit = await enter(browser(), site(), pathOf(one));
    const { page } = visit;
    const asked: string[] = [];
    page.on("request", (request) => request.url().includes("/resumes/") && asked.push(request.url()));
    await endSession(page);
    await page.locator(".file").getByText(name).click();
    await page.getByRole("dialog", { name: "Your session has ended" }).waitFor();
    expect(asked).toEqual([]);
    const saved = name.startsWith("Download") ? page.waitForEvent("download") : null;
    await fillSignIn(page);
    if (saved) expect((await saved).suggestedFilename()).toBe("ben-novak-resume.pdf");
    else await page.frameLocator("iframe[title=Resume]").getByRole("img").waitFor();
  });

  test("where the session has ended, an export of what is shown waits for a sign-in, and the page stays", async () => {
    await using visit = await enter(browser(), site(), "?status=new");
    const { page } = visit;
    await page.getByRole("button", { name: "More" }).click();
    await endSession(page);
    await page.getByRole("button", { name: "NDJSON of inquiries shown here" }).click();
    const dialog = page.getByRole("dialog", { name: "Your session has ended" });
    await dialog.getByLabel("Password").fill(password);
    const saved = page.waitForEvent("download");
    await dialog.getByRole("button", { name: "Sign in" }).click();
    expect((await saved).suggestedFilename()).toBe("inquiries.ndjson");
    const lines = (await readFile(await (await saved).path(), "utf8")).trim().split("\n");
    const exported = lines.map((line) => (JSON.parse(line) as { readonly inquiryId: string }).inquiryId);
    const shown = site().submissions.filter(({ kind, status }) => kind === "inquiry" && status === "new");
    expect(exported).toEqual(shown.map(({ reference }) => reference).toReversed());
    expect(new URL(page.url()).search).toBe("?status=new");
  });

  test.each(["refused", "not answered"])(
    "an export of what is shown that is %s is said to have failed",
    async (how) => {
      await using visit = await enter(browser(), site());
      const { page } = visit;
      if (how === "refused") visit.expectProblems(/status of 429/);
      await page.route("**/exports/*", (route) =>
        how === "refused" ? route.fulfill({ status: 429, json: {} }) : route.abort("connectionrefused"),
      );
      await page.getByRole("button", { name: "More" }).click();
      expect(await page.locator(".toast").count()).toBe(0);
      await page.getByRole("button", { name: "CSV of inquiries shown here" }).click();
      await page.getByText("Not downloaded. Please try again.").waitFor();
    },
  );

  test("is printed without the ways to other pages", async () => {
    const one = site().submissions[0]!;
    await using visit = await enter(browser(), site(), pathOf(one));
    const { page } = visit;
    await page.getByRole("heading", { name: one.name }).waitFor();
    await page.emulateMedia({ media: "print" });
    expect(await page.getByRole("heading", { name: one.name }).isVisible()).toBe(true);
    expect(await page.getByRole("navigation").count()).toBe(0);
    expect(await rows(page).first().isVisible()).toBe(false);
  });

  test("what failed is taken back and said", async () => {
    const one = firstWith(({ status }) => status === "new");
    await using visit = await enter(browser(), site(), pathOf(one));
    const { page } = visit;
    visit.expectProblems(/status of 500/);
    await failNext(page, "inbox.triage");
    await page.getByRole("combobox", { name: "Status" }).selectOption("done");
    await page.getByText("Not changed. Something went wrong on the server. Please try again.").waitFor();
    await expect.poll(() => statusOf(page)).toBe("new");
    expect((await site().now(one.reference))[0]).toBe("new");
  });

  test("spam is released", async () => {
    await using postmark = await PostmarkStandIn.open();
    const { promise: gate, resolve: letThrough } = Promise.withResolvers<void>();
    postmark.gate = gate;
    await using sending = await ConsoleSite.open({ env: postmark.env });
    const one = sending.submissions.find(({ status }) => status === "spam")!;
    await using visit = await enter(browser(), sending, pathOf(one));
    const { page } = visit;
    await page.getByRole("button", { name: "Release" }).click();
    await page.getByText("Released. Its mails are on their way.").waitFor();
    await expect.poll(() => page.getByRole("button", { name: "Release" }).count()).toBe(0);
    const marks = page.locator(".mark[class*=mail-]");
    await expect.poll(() => marks.allInnerTexts()).toEqual(["Queued", "Queued"]);
    letThrough();
    await expect.poll(() => marks.allInnerTexts()).toEqual(["Sent", "Sent"]);
  });

  test("one that is erased meanwhile is not shown any more", async () => {
    const one = firstWith(({ status }) => status === "new");
    await using visit = await enter(browser(), site(), pathOf(one));
    visit.expectProblems(/status of 404/);
    const { page } = visit;
    await page.getByRole("heading", { name: one.name }).waitFor();
    site().erase(one.reference);
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByText("1 submission could not be found any more.").waitFor();
    await page.getByRole("heading", { name: "Not found" }).waitFor();
    expect(await page.title()).not.toContain(one.name);
    await expect.poll(() => rows(page).locator(`[data-reference="${one.reference}"]`).count()).toBe(0);
  });

  test("one that does not exist says so", async () => {
    await using visit = await enter(browser(), site(), "/inquiries/INQ-20000101-000000");
    visit.expectProblems(/status of 404/);
    await visit.page.getByRole("heading", { name: "Not found" }).waitFor();
  });
});

test("a language is told of an application and of a subscriber, unless it is English", async () => {
  const { reference } = site().submissions.find(({ kind }) => kind === "application")!;
  const subscribers = (await site().store.desk.listSubscribers({}, {})).rows;
  const [german, english] = subscribers.map(({ email }) => `/people/${encodeURIComponent(email)}`);
  for (const [address, count] of [
    [`/applications/${reference}`, 1],
    [german!, 1],
    [english!, 0],
  ] as const) {
    await using visit = await enter(browser(), site(), address);
    await visit.page.getByText("Privacy notice").waitFor();
    expect(await visit.page.getByText("German", { exact: true }).count()).toBe(count);
  }
});

test("erasing a person asks first, and then leaves nothing in the list", async () => {
  const { email } = site().submissions[0]!;
  await using visit = await enter(browser(), site(), `/people/${encodeURIComponent(email)}`);
  const { page } = visit;
  await page.getByRole("button", { name: "Erase" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  expect(await site().store.desk.findPerson(wholeScope, email)).not.toBeNull();
  await page.getByRole("button", { name: "Erase" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Erase" }).click();
  await page.getByText(/^Erased: /).waitFor();
  await rows(page).first().waitFor();
  expect(await site().store.desk.findPerson(wholeScope, email)).toBeNull();
  await expect.poll(() => page.getByText("Anna Müller").count()).toBe(0);
});

test("of a person with hundreds of submissions it is said that there are more", async () => {
  const { email } = site().submissions[0]!;
  await Promise.all(Array.from({ length: 200 }, (_, number) => site().add(`Ann ${number}`, email)));
  await using visit = await enter(browser(), site(), `/people/${encodeURIComponent(email)}`);
  const { page } = visit;
  await page.getByText("Older ones are not shown. The export has all of them.").waitFor();
  await page.getByRole("button", { name: "Erase" }).click();
  await page.getByRole("dialog").getByText("more than 200 submissions").waitFor();
});

test("an old address of a person leads to the one without the e-mail address", async () => {
  const { email } = site().submissions[0]!;
  await using visit = await enter(browser(), site(), `/people/${encodeURIComponent(email)}`);
  const { page } = visit;
  await page.getByRole("heading", { name: email }).waitFor();
  await page.waitForURL(/\/people\/[\w-]+$/);
  expect(await page.getByRole("link", { name: "Export" }).getAttribute("href")).toMatch(/\/people\/[\w-]+\.ndjson$/);
});

test("a role that sees a part of a person is not offered to erase", async () => {
  const { email } = firstWith(({ kind }) => kind === "inquiry");
  await using visit = await enter(browser(), site(), `/people/${email}`, { as: operators.ben[0] });
  await visit.page.getByRole("link", { name: "Export" }).waitFor();
  expect(await visit.page.getByRole("button", { name: "Erase" }).count()).toBe(0);
});

test("a password is changed with the current one, and the operator stays signed in", async () => {
  await using visit = await enter(browser(), site(), "/settings");
  const { page } = visit;
  visit.expectProblems(/status of 400/);
  await page.getByRole("button", { name: "Change password" }).click();
  const dialog = page.getByRole("dialog", { name: "Change password" });
  await dialog.getByLabel("Current password").fill("wrong password");
  await dialog.getByLabel("New password").fill("vermilion kettle 41");
  await dialog.getByRole("button", { name: "Change password" }).click();
  await dialog.getByText("This is not your current password.").waitFor();
  await dialog.getByLabel("Current password").fill(password);
  await dialog.getByRole("button", { name: "Change password" }).click();
  await page.getByText("Your password is changed.").waitFor();
  await page.getByRole("heading", { name: "Settings" }).waitFor();
});

test("the search of subscribers shows what their address says", async () => {
  await using visit = await enter(browser(), site(), "/subscribers");
  const { page } = visit;
  const search = page.getByRole("searchbox", { name: "Search" });
  await search.fill("nowhere".repeat(40));
  await page.getByText("Nothing matches this filter.").waitFor();
  expect(new URLSearchParams(new URL(page.url()).hash.slice(1)).get("q")).toHaveLength(254);
  await page.getByRole("link", { name: "Subscribers" }).click();
  await page.getByRole("table", { name: "Subscribers" }).waitFor();
  expect(await search.inputValue()).toBe("");
});

test("the curve of subscribers that could not be loaded is offered again", async () => {
  await using visit = await enter(browser(), site(), "/settings");
  const { page } = visit;
  visit.expectProblems(/status of 429/);
  const error = { code: -32029, message: "Too many requests.", data: { code: "TOO_MANY_REQUESTS" } };
  await page.route("**/subscribers.growth*", (route) => route.fulfill({ status: 429, json: { error } }), { times: 1 });
  await page.getByRole("link", { name: "Subscribers" }).first().click();
  await page.getByRole("alert").getByText("Too many requests.").waitFor();
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("img", { name: "Active subscribers by day" }).waitFor();
});

test("a page that is first opened while the service is down says so, and nothing that was typed is lost", async () => {
  const one = firstWith(({ kind }) => kind === "inquiry");
  await using visit = await enter(browser(), site(), pathOf(one));
  const { page } = visit;
  visit.expectProblems(/ERR_FAILED/, /Failed to fetch/);
  await page.getByRole("textbox", { name: "Note" }).fill("Half a sentence");
  await page.route("**/*", (route) => route.abort());
  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByText("The server cannot be reached.").waitFor();
  await page.unroute("**/*");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("heading", { name: "Settings" }).waitFor();
  await page.goBack();
  await page.getByRole("heading", { name: one.name }).waitFor();
  expect(await page.getByRole("textbox", { name: "Note" }).inputValue()).toBe("Half a sentence");
});

test("the keyboard is on a page that a link has led to", async () => {
  const one = firstWith(({ kind }) => kind === "inquiry");
  await using visit = await enter(browser(), site(), pathOf(one));
  const { page } = visit;
  await page.getByRole("link", { name: "All from this address" }).press("Enter");
  await page.getByRole("heading", { name: one.email }).waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("content");
});

test("an operator is invited, and a token is shown once", async () => {
  await using visit = await enter(browser(), site(), "/settings");
  const { page } = visit;
  await page.getByRole("button", { name: "Invite" }).click();
  await page.getByLabel("E-mail address").fill("nils@voices.example");
  await page.getByRole("combobox", { name: "Role", exact: true }).selectOption("recruiting");
  await page.getByRole("button", { name: "Create invitation" }).click();
  expect(await page.getByLabel("Invitation link").inputValue()).toContain("/console/invitation#token=");
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().click();
  await page.getByText("nils@voices.example").waitFor();
  await page.getByRole("button", { name: "Create token" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Nightly export");
  await page.getByRole("dialog").getByRole("button", { name: "Create token" }).click();
  expect(await page.getByRole("textbox", { name: "API token" }).inputValue()).toMatch(/^submissions_/);
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().click();
  await page.getByRole("button", { name: /^Revoke \d+ Nightly export$/ }).click();
  await page.getByText("The token no longer works.").waitFor();
});

test("a dialog puts the keyboard where its work begins, and back when it is closed", async () => {
  await using visit = await enter(browser(), site(), "/settings");
  const { page } = visit;
  const dialog = page.getByRole("dialog");
  const invite = page.getByRole("button", { name: "Invite" });
  const hasFocus = (place: Locator) => place.evaluate((element) => element === document.activeElement);
  await invite.click();
  await expect.poll(() => hasFocus(dialog.getByLabel("E-mail address"))).toBe(true);
  await page.keyboard.type("nils@voices.example");
  await page.keyboard.press("Enter");
  await expect.poll(() => hasFocus(dialog.getByLabel("Invitation link"))).toBe(true);
  await page.keyboard.press("Escape");
  await expect.poll(() => hasFocus(invite)).toBe(true);
  await page.getByRole("button", { name: "Remove nils@voices.example" }).click();
  await expect.poll(() => hasFocus(dialog.getByRole("button", { name: "Cancel" }))).toBe(true);
});

test("a dialog stays when the selection of its text ends beside it, and is closed by a click there", async () => {
  await using visit = await enter(browser(), site(), "/settings");
  const { page } = visit;
  await page.getByRole("button", { name: "Create token" }).click();
  const name = page.getByLabel("Name", { exact: true });
  await name.fill("Nightly export");
  const { x, y, height } = (await name.boundingBox())!;
  await page.mouse.move(x + 60, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(5, y + height / 2);
  await page.mouse.up();
  expect(await name.inputValue()).toBe("Nightly export");
  await page.mouse.click(5, y);
  await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
});

test("a webhook is added, its deliveries are shown and replayed, it gets a new secret and is removed", async () => {
  await using visit = await enter(browser(), site(), "/settings");
  const { page } = visit;
  visit.expectProblems(/status of 500/);
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Add webhook" }).click();
  await dialog.getByLabel("Address").fill("https://crm.example.org/hook");
  await dialog.getByLabel("Applications").uncheck();
  await dialog.getByRole("button", { name: "Add webhook" }).click();
  expect(await dialog.getByRole("textbox", { name: "Secret" }).inputValue()).toMatch(/^whsec_/);
  await dialog.getByRole("button", { name: "Close" }).last().click();
  const line = page.getByRole("listitem").filter({ hasText: "https://crm.example.org/hook" });
  expect(await line.textContent()).toContain("Inquiries, Confirmed subscribers, Subscribers who left");

  const { reference } = site().submissions[0]!;
  site().addDeliveries();
  await page.getByRole("button", { name: "Deliveries: crm.example.org" }).click();
  const row = dialog.getByRole("row").filter({ hasText: "HTTP 503, 2 tries, again " });
  await row.getByRole("button", { name: `Replay ${reference}` }).click();
  const said = dialog.getByRole("status");
  await said.getByText("The delivery is on its way.").waitFor();
  await dialog.getByRole("button", { name: "Replay all failed" }).click();
  await said.getByText("1 delivery on the way.").waitFor();
  await failNext(page, "webhooks.replay");
  await dialog
    .getByRole("button", { name: `Replay ${reference}` })
    .first()
    .click();
  await said.getByText("Not sent again. Something went wrong on the server. Please try again.").waitFor();
  await dialog.getByRole("button", { name: "Close" }).last().click();

  await page.getByRole("button", { name: "New secret: crm.example.org" }).click();
  await dialog.getByRole("button", { name: "New secret" }).click();
  expect(await dialog.getByRole("textbox", { name: "Secret" }).inputValue()).toMatch(/^whsec_/);
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await page.getByRole("button", { name: "Remove: crm.example.org" }).click();
  await dialog.getByRole("button", { name: "Remove" }).click();
  await page.getByText("The webhook was removed.").waitFor();
  await expect.poll(() => line.count()).toBe(0);
});

test("a chart says its numbers as a table too", async () => {
  await using visit = await enter(browser(), site(), "/overview");
  const { page } = visit;
  await page.getByText("Show as a table").click();
  const table = page.getByRole("table", { name: "Submissions a day, by kind" });
  expect(await table.getByRole("row").count()).toBe(31);
  expect(await page.getByRole("img", { name: "Submissions a day, by kind" }).count()).toBe(1);
});

test("a chart without any room is no error", async () => {
  await using visit = await enter(browser(), site(), "/overview");
  const chart = visit.page.getByRole("figure");
  await chart.evaluate(async (figure) => {
    const seen = Promise.withResolvers<void>();
    figure.style.display = "none";
    new ResizeObserver(([entry]) => entry?.contentRect.width === 0 && seen.resolve()).observe(figure);
    await seen.promise;
  });
  await visit.page.getByRole("link", { name: "Subscribers" }).first().click();
  await visit.page.getByRole("img", { name: "Active subscribers by day" }).waitFor();
});

test.each(["Pacific/Auckland", "Pacific/Pago_Pago"])(
  "the days of a chart are those of UTC in %s",
  async (timezoneId) => {
    await using visit = await enter(browser(), site(), "/overview", { timezoneId });
    const { page } = visit;
    await page.getByText("Show as a table").click();
    const latest = page.getByRole("table").getByRole("rowheader").last();
    expect(Number.parseInt(await latest.innerText(), 10)).toBe(new Date().getUTCDate());
  },
);

test("a long address in a table leaves the words beside it whole", async () => {
  await using visit = await enter(browser(), site(), "/mails?status=all", { viewport: { width: 1100, height: 800 } });
  const { page } = visit;
  const cell = page.getByRole("cell", { name: "Receipt" }).first();
  const lines = await cell.evaluate((one) => {
    const range = new Range();
    range.selectNodeContents(one);
    return range.getClientRects().length;
  });
  expect(lines).toBe(1);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
});

test("the audit log writes times as times", async () => {
  const detail = { format: "csv", since: Date.UTC(2026, 10, 1, 12) };
  const entry = { action: "export", subject: "inquiries", detail };
  await site().store.desk.audit(entry, { operator, at: Date.now() });
  await using visit = await enter(browser(), site(), "/audit");
  await visit.page
    .getByText(/since: \d{1,2} Nov 2026/)
    .first()
    .waitFor();
});

test("shortcuts can be turned off", async () => {
  await using visit = await enter(browser(), site(), "/settings");
  const { page } = visit;
  await page.getByLabel("Keyboard shortcuts of single keys").uncheck();
  await page
    .getByRole("link", { name: /^To do/ })
    .first()
    .click();
  await rows(page).first().waitFor();
  await page.keyboard.press("?");
  await page.keyboard.press("j");
  expect(await page.getByRole("dialog").count()).toBe(0);
  expect(await page.evaluate(() => (document.activeElement as HTMLElement).dataset["reference"])).toBeUndefined();
  // The boxes are then reached as other fields are.
  await page.getByRole("button", { name: "More" }).focus();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Space");
  await page.getByText("1 selected").waitFor();
});

test("the first view is less than 150 KB, compressed", () => {
  const folder = join(import.meta.dirname, "../../../client/dist/console");
  const shell = readFileSync(join(folder, "index.html"), "utf8");
  const files = [...shell.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(([, file = ""]) => file);
  const bytes = [shell, ...files.map((file) => readFileSync(join(folder, file)))].map(
    (content) => gzipSync(content).length,
  );
  expect(files.length).toBeGreaterThan(2);
  expect(bytes.reduce((sum, one) => sum + one)).toBeLessThan(150_000);
  expect(shell).not.toMatch(/<style|<script(?![^>]*src=)| style=| on\w+=/);
});
