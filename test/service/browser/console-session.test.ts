// How a session of the console begins and ends in a browser, and what becomes of what was under way.
import { readFile } from "node:fs/promises";
import type { InboxRow } from "@submissions/shared/console";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { client } from "../../support/console/identity-provider.ts";
import { password } from "../../support/console/operator.ts";
import { openBrowser, Visit, routeNext } from "../../support/browser.ts";
import { atNight, nightly } from "../../support/many-or-few.ts";
import { shared } from "../../support/shared.ts";
import { ConsoleSite, operators } from "../../support/browser/console-site.ts";
import {
  endSessionsAt,
  enter,
  fillSignIn,
  isWellMade,
  oneVisit,
  operator,
  pathOf,
  rows,
  signOut,
} from "../../support/browser/console-visit.ts";

const browser = shared(openBrowser);
// It offers a provider, which is never asked.
const env = { OIDC_ISSUER: "http://127.0.0.1:9", OIDC_CLIENT_ID: client.id, OIDC_CLIENT_SECRET: client.secret };
const site = shared(() => ConsoleSite.open({ count: 20, env }));

const firstWith = (fits: (one: InboxRow) => boolean): InboxRow => site().submissions.find(fits)!;
/** Ends the session for the next call that asks who is signed in. Other calls still work, so that none of them ends it first. */
const endSession = (page: Page) =>
  routeNext(page, "**/session.me*", (route) => route.fulfill({ json: { result: { data: null } } }));

test("a sign-in happens at the address of a mail's link and shows what it leads to", async () => {
  const one = site().submissions[0]!;
  await using visit = await Visit.begin(browser());
  const { page } = visit;
  visit.expectProblems(/status of 401/);
  await page.goto(site().url + pathOf(one));
  await page.getByLabel("Password").waitFor();
  await isWellMade(page);
  await fillSignIn(page, "wrong");
  await page.getByText("The e-mail address or the password is wrong.").waitFor();
  await fillSignIn(page);
  await page.getByRole("heading", { name: one.name }).waitFor();
  expect(page.url()).toBe(site().url + pathOf(one));
  await signOut(page);
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
});

nightly("a sign-in at the provider leads back to the page that asked for it", async () => {
  const one = site().submissions[0]!;
  await using visit = await Visit.begin(browser());
  const { page, context } = visit;
  // As the service after the provider has let the operator in.
  await page.route("**/oidc/start", async (route) => {
    await site().signIn(context);
    await route.fulfill({ status: 302, headers: { location: site().url } });
  });
  await page.goto(`${site().url}${pathOf(one)}?status=new`);
  await page.getByRole("button", { name: "Continue with your organisation" }).click();
  await page.getByRole("heading", { name: one.name }).waitFor();
  expect(page.url()).toBe(`${site().url}${pathOf(one)}?status=new`);
  await page.goto(site().url);
  await rows(page).first().waitFor();
  expect(page.url()).toBe(site().url);
});

nightly("a sign-in with the password leaves nothing of one that was begun at the provider", async () => {
  const one = site().submissions[0]!;
  await using visit = await Visit.begin(browser());
  const { page } = visit;
  // The page stays as it is.
  await page.route("**/oidc/start", (route) => route.fulfill({ status: 204 }));
  await page.goto(`${site().url}${pathOf(one)}`);
  const begun = page.waitForResponse("**/oidc/start");
  await page.getByRole("button", { name: "Continue with your organisation" }).click();
  await begun;
  await fillSignIn(page);
  await page.getByRole("heading", { name: one.name }).waitFor();
  await page.goto(site().url);
  await rows(page).first().waitFor();
  expect(page.url()).toBe(site().url);
});

nightly(
  "a password that the provider's account needs once leads to the page that asked for it, and nothing asks again",
  async () => {
    const one = site().submissions[0]!;
    await using visit = await Visit.begin(browser());
    const { page, context } = visit;
    const provider = page.getByRole("button", { name: "Continue with your organisation" });
    // As the service does where the account is bound to no operator yet.
    const headers = { location: `${site().url}#connect` };
    await page.route("**/oidc/start", (route) => route.fulfill({ status: 302, headers }));
    await page.goto(site().url + pathOf(one));
    await provider.click();
    await page.getByText("Enter your password once.").waitFor();
    await fillSignIn(page);
    await page.getByRole("heading", { name: one.name }).waitFor();
    expect(page.url()).toBe(site().url + pathOf(one));

    // Without such a page it is the inbox.
    await page.goto(`${site().url}#connect`);
    await rows(page).first().waitFor();
    expect(page.url()).toBe(site().url);
    await context.clearCookies();
    await page.goto(`${site().url}#code`);
    await page.reload();
    await page.getByText("enter the code, too").waitFor();
    const other = await context.newPage();
    await other.goto(site().url);
    await fillSignIn(other);
    await rows(other).first().waitFor();
    await page.evaluate(() => dispatchEvent(new Event("focus")));
    await rows(page).first().waitFor();
    expect(page.url()).toBe(site().url);
    await signOut(page);
    await page.getByLabel("Password").waitFor();
    await provider.waitFor();
  },
);

test("an invitation sets a password and signs in", async () => {
  await using visit = await Visit.begin(browser());
  const { page, context } = visit;
  visit.expectProblems(/status of 400/);
  await page.goto(`${site().url}/invitation#token=${await site().invite("nils@voices.example", "sales")}`);
  await page.getByText("nils@voices.example").waitFor();
  await page.getByText("Sales", { exact: true }).waitFor();
  if (atNight) await isWellMade(page);
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
  await using visit = await Visit.begin(browser());
  const { page } = visit;
  await site().signIn(visit.context);
  await page.goto(`data:text/html,<a href="${site().url}${pathOf(one)}">the inquiry</a>`);
  await page.getByText("the inquiry").click();
  await page.getByRole("heading", { name: one.name }).waitFor();
});

nightly("a sign-out that fails is said, and the next operator finds nothing of what was typed", async () => {
  const one = firstWith(({ kind }) => kind === "inquiry");
  await using visit = await enter(browser(), site(), pathOf(one));
  const { page } = visit;
  visit.expectProblems(/ERR_FAILED/, /status of 401/);
  const note = page.getByRole("textbox", { name: "Note" });
  await note.fill("Between us");
  await routeNext(page, "**/session.signOut*", (route) => route.abort());
  await signOut(page);
  await page.getByText("Not signed out. The server cannot be reached.").waitFor();
  // One without a session shows the sign-in.
  await endSessionsAt(page, site(), "session.signOut");
  await signOut(page);
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await fillSignIn(page, password, operators.ben[0]);
  await page.getByRole("heading", { name: one.name }).waitFor();
  await expect.poll(() => note.inputValue()).toBe("");
});

test("a tab follows what another one did: its operator signed in, signed out, and another one signed in", async () => {
  const one = await site().add("Zoe Note");
  await using visit = await Visit.begin(browser());
  const { page, context } = visit;
  const isShown = () => page.evaluate(() => dispatchEvent(new Event("focus")));
  await page.goto(site().url + pathOf(one));
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  const other = await context.newPage();
  await other.goto(site().url);
  await fillSignIn(other);
  await rows(other).first().waitFor();
  await isShown();
  await page.getByRole("heading", { name: one.name }).waitFor();

  const note = page.getByRole("textbox", { name: "Note" });
  await note.fill("Between us");
  await signOut(other);
  await other.getByRole("heading", { name: "Sign in" }).waitFor();
  await isShown();
  await page.getByRole("dialog", { name: "Your session has ended" }).waitFor();
  await fillSignIn(other, password, operators.ben[0]);
  await other.locator("#content").waitFor();
  await isShown();
  await page.locator(".who").getByText("ben.hart").first().waitFor();
  await expect.poll(() => note.inputValue()).toBe("");

  // What a role does not see any more may be seen again; what is erased is not.
  visit.expectProblems(/status of 40[34]/);
  await note.fill("For later");
  const drafts = () =>
    page.evaluate(() => Object.keys(localStorage).filter((name) => name.startsWith("console.draft ")).length);
  const become = (role: "marketing" | "recruiting" | "sales") =>
    site().store.access.changeOperator(operators.ben[0], { role }, { operator, at: Date.now() });
  await rows(page).filter({ hasText: one.name }).waitFor();
  await become("recruiting");
  await isShown();
  await page.getByRole("heading", { name: "Not found" }).waitFor();
  await expect.poll(() => rows(page).filter({ hasText: one.name }).count()).toBe(0);
  await become("sales");
  await page.reload();
  await expect.poll(() => note.inputValue()).toBe("For later");
  // A tab that is never left learns of its role by what it is refused.
  await become("marketing");
  await note.press("Control+Enter");
  await page.getByRole("link", { name: "Subscribers" }).waitFor();
  await become("sales");
  await page.reload();
  await expect.poll(() => note.inputValue()).toBe("For later");
  expect((await site().detail(one.reference)).notes).toEqual([]);
  site().erase(one.reference);
  await page.reload();
  await expect.poll(drafts).toBe(0);
});

nightly(
  "marketing begins with the subscribers and is offered nothing else of its colleagues, nor mails about assignments",
  async () => {
    await using visit = await enter(browser(), site(), "", { as: operators.mia[0] });
    await visit.page.getByRole("heading", { name: "Subscribers", exact: true }).waitFor();
    const places = await visit.page.getByRole("navigation", { name: "Console" }).getByRole("link").allInnerTexts();
    expect(places.map((text) => text.trim())).toEqual(["Subscribers", "Mails", "Settings"]);
    await visit.page.getByRole("link", { name: "Settings" }).click();
    await visit.page.getByRole("textbox", { name: "Display name" }).waitFor();
    await expect.poll(() => visit.page.getByRole("checkbox", { name: /^Mail me/ }).count()).toBe(0);
  },
);

describe("a session that ends", () => {
  const { go, expectProblems } = oneVisit(site);

  test("in the middle of a change asks to sign in, and then makes the change", async () => {
    const one = firstWith(({ status }) => status === "new");
    const page = await go(pathOf(one));
    expectProblems(/status of 401/);
    await page.getByRole("textbox", { name: "Note" }).fill("Called, asks for a quote.");
    await endSessionsAt(page, site(), "submission.addNote");
    await page.getByRole("button", { name: "Add note" }).click();
    const dialog = page.getByRole("dialog", { name: "Your session has ended" });
    await dialog.waitFor();
    await expect.poll(() => dialog.getByLabel("E-mail address").inputValue()).toBe(operator);
    await fillSignIn(page);
    await page.locator(".note-text").getByText("Called, asks for a quote.").waitFor();
    await expect.poll(() => page.getByRole("textbox", { name: "Note" }).inputValue()).toBe("");
    const { notes } = await site().detail(one.reference);
    expect(notes.map(({ text }) => text)).toContain("Called, asks for a quote.");
  });

  nightly("asks in a dialog that stays until it is answered, however often Escape is pressed", async () => {
    const page = await go("/settings");
    const dialog = page.getByRole("dialog", { name: "Your session has ended" });
    expectProblems(/status of 401/);
    await endSessionsAt(page, site(), "tokens.create");
    await page.getByRole("button", { name: "Create token" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Nightly export");
    await page.keyboard.press("Enter");
    await dialog.getByLabel("Password").fill(password);
    for (let pressed = 0; pressed < 4; pressed += 1) await page.keyboard.press("Escape");
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("textbox", { name: "API token" }).waitFor();
  });

  nightly("has a download and an export wait for a sign-in, and the page stays", async () => {
    const one = firstWith(({ kind, hasResume }) => kind === "application" && hasResume);
    const page = await go(pathOf(one));
    const asked: string[] = [];
    page.on("request", (request) => /\/resumes\/|\/exports\//.test(request.url()) && asked.push(request.url()));
    const dialog = page.getByRole("dialog", { name: "Your session has ended" });
    const resume = page.locator(".file");
    await endSession(page);
    await resume.getByText("Download resume").click();
    await dialog.waitFor();
    expect(asked).toEqual([]);
    const [download] = await Promise.all([page.waitForEvent("download"), fillSignIn(page)]);
    expect(download.suggestedFilename()).toBe("ben-novak-resume.pdf");
    await dialog.waitFor({ state: "detached" });

    if (atNight) {
      asked.length = 0;
      await endSession(page);
      await resume.getByText("Show resume").click();
      await dialog.waitFor();
      expect(asked).toEqual([]);
      await fillSignIn(page);
      await page.frameLocator("iframe[title=Resume]").getByRole("img").waitFor();
    }

    await go("?status=new");
    await page.getByRole("button", { name: "More" }).click();
    asked.length = 0;
    await endSession(page);
    await page.getByRole("button", { name: "NDJSON of inquiries shown here" }).click();
    await dialog.getByLabel("Password").fill(password);
    expect(asked).toEqual([]);
    const saved = page.waitForEvent("download");
    await dialog.getByRole("button", { name: "Sign in" }).click();
    expect((await saved).suggestedFilename()).toMatch(/^inquiries-\d{4}-\d\d-\d\d\.ndjson$/);
    const lines = (await readFile(await (await saved).path(), "utf8")).trim().split("\n");
    const exported = lines.map((line) => (JSON.parse(line) as { readonly inquiryId: string }).inquiryId);
    const shown = site().submissions.filter(({ kind, status }) => kind === "inquiry" && status === "new");
    expect(exported).toEqual(shown.map(({ reference }) => reference).toReversed());
    expect(new URL(page.url()).search).toBe("?status=new");
  });
});
