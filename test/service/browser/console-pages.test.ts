// The pages of a person, of subscribers, of the overview, of mails and of the audit log, in a real browser.
import { expect, test } from "vitest";
import { wholeScope } from "../../../server/src/storage/desk-store.ts";
import { openBrowser, routeNext } from "../../support/browser.ts";
import { atNight, nightly } from "../../support/many-or-few.ts";
import { shared } from "../../support/shared.ts";
import { ConsoleSite, operators } from "../../support/browser/console-site.ts";
import { enter, oneVisit, operator, pathOf, personOf, rows } from "../../support/browser/console-visit.ts";

const browser = shared(openBrowser);
const site = shared(() => ConsoleSite.open());

const { go, expectProblems } = oneVisit(site);

nightly("a language is told of an application and of a subscriber, unless it is English", async () => {
  const applied = site().submissions.find(({ kind }) => kind === "application")!;
  const [german, english] = (await site().store.desk.listSubscribers({}, {})).rows;
  const titleOf = ({ email }: { readonly email: string }) =>
    site().submissions.find((one) => one.email === email)?.name ?? email;
  for (const [address, heading, count] of [
    [pathOf(applied), applied.name, 1],
    [personOf(german!.email), titleOf(german!), 1],
    [personOf(english!.email), titleOf(english!), 0],
  ] as const) {
    const page = await go(address);
    await page.getByRole("heading", { name: heading }).waitFor();
    await page.getByText("Privacy notice").waitFor();
    await expect.poll(() => page.getByText("German", { exact: true }).count()).toBe(count);
  }
});

test("an old address leads to the one without the e-mail address; a role that sees a part is not offered to erase", async () => {
  const { reference, email, name } = site().submissions.find(({ kind }) => kind === "inquiry")!;
  const page = await go(personOf(email));
  await page.getByRole("heading", { name }).waitFor();
  await page.waitForURL(/\/people\/[\w-]+$/);
  const exported = page.getByRole("link", { name: "Export" });
  await expect.poll(() => exported.getAttribute("href")).toMatch(/\/people\/[\w-]+\.ndjson$/);
  await expect.poll(() => page.getByRole("button", { name: "Erase" }).count()).toBe(1);

  // The keyboard is on a page that a link has led to.
  await go(`/inquiries/${reference}`);
  await page.getByRole("link", { name: "All from this address" }).press("Enter");
  await page.getByRole("heading", { name }).waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("content");

  if (!atNight) return;
  await using other = await enter(browser(), site(), personOf(email), { as: operators.ben[0] });
  await other.page.getByRole("link", { name: "Export" }).waitFor();
  await expect.poll(() => other.page.getByRole("button", { name: "Erase" }).count()).toBe(0);
});

nightly(
  "the search of subscribers shows what their address says, and a curve that failed is offered again",
  async () => {
    const page = await go("/subscribers");
    expectProblems(/status of 429/);
    const search = page.getByRole("searchbox", { name: "Search" });
    const places = page.getByRole("link", { name: "Subscribers" }).first();
    await search.fill("nowhere".repeat(40));
    await page.getByText("Nothing matches this filter.").waitFor();
    expect(new URLSearchParams(new URL(page.url()).hash.slice(1)).get("q")).toHaveLength(254);
    await places.click();
    await page.getByRole("table", { name: "Subscribers" }).waitFor();
    await expect.poll(() => search.inputValue()).toBe("");

    await page.goto(`${site().url}/settings`);
    const error = { code: -32029, message: "Too many requests.", data: { code: "TOO_MANY_REQUESTS" } };
    await routeNext(page, "**/subscribers.growth*", (route) => route.fulfill({ status: 429, json: { error } }));
    await places.click();
    await page.getByRole("alert").getByText("Too many requests.").waitFor();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("img", { name: "Active subscribers by day" }).waitFor();
  },
);

nightly.each(["Pacific/Auckland", "Pacific/Pago_Pago"])(
  "a chart says its numbers as a table too, by days of UTC in %s, and needs no room",
  async (timezoneId) => {
    await using visit = await enter(browser(), site(), "/overview", { timezoneId });
    const { page } = visit;
    const name = "Submissions a day, by kind";
    await page.getByText("Show as a table").click();
    const table = page.getByRole("table", { name });
    await expect.poll(() => table.getByRole("row").count()).toBe(31);
    await expect.poll(() => page.getByRole("img", { name }).count()).toBe(1);
    expect(Number.parseInt(await table.getByRole("rowheader").last().innerText(), 10)).toBe(new Date().getUTCDate());
    await page.getByRole("figure").evaluate(async (figure) => {
      const seen = Promise.withResolvers<void>();
      figure.style.display = "none";
      new ResizeObserver(([entry]) => entry?.contentRect.width === 0 && seen.resolve()).observe(figure);
      await seen.promise;
    });
    await page.getByRole("link", { name: "Subscribers" }).first().click();
    await page.getByRole("img", { name: "Active subscribers by day" }).waitFor();
  },
);

nightly("an overview names the kinds of submissions that the role sees, and no other", async () => {
  await using visit = await enter(browser(), site(), "/overview", { as: operators.cleo[0] });
  await visit.page.getByText("Show as a table").click();
  const columns = visit.page.getByRole("table").getByRole("columnheader");
  await expect.poll(() => columns.allTextContents()).toEqual(["Day (UTC)", "Applications"]);
});

nightly("the audit log says what was done in sentences, and writes times as times", async () => {
  const one = site().submissions.findLast(({ kind }) => kind === "inquiry")!;
  await site().changeAs(operator, one.reference, { assignee: operators.ben[0] });
  await site().changeAs(operator, one.reference, { status: "open" });
  const { desk } = site().store;
  await desk.audit({ action: "operator.accept", subject: operator }, { operator, at: Date.now() });
  for (const subject of ["operators.setRole", "inbox.list", "/console/exports/audit.csv"])
    await desk.audit({ action: "refused", subject, detail: { notFound: 2 } }, { operator, at: Date.now() });
  const detail = { format: "csv", since: Date.UTC(2026, 10, 1, 12) };
  await desk.audit({ action: "export", subject: "inquiries", detail }, { operator, at: Date.now() });
  for (const subject of [operator, operators.ben[0]])
    await desk.audit({ action: "sign-out.everywhere", subject }, { operator, at: Date.now() });
  const erased = { submissions: 0, references: [], subscribers: [7] };
  await desk.audit({ action: "erase", subject: "person", detail: erased }, { operator, at: Date.now() });
  const entries = (await go("/audit")).getByRole("table", { name: "Audit log" });
  await entries.getByText(`eva assigned ${one.reference} to ben.hart`).waitFor();
  await entries.getByText(`eva set ${one.reference} to open`).waitFor();
  await entries.getByText("accepted the invitation").first().waitFor();
  await entries.getByText("eva tried to change an operator's role and was refused not found: 2").waitFor();
  await entries.getByText("eva tried to see submissions and was refused").waitFor();
  await entries.getByText("eva tried to download audit.csv and was refused").waitFor();
  await entries.getByText("eva signed out everywhere", { exact: true }).waitFor();
  await entries.getByText(`eva signed ${operators.ben[0]} out everywhere`, { exact: true }).waitFor();
  // Neither numbers that no page shows nor empty lists.
  await entries.getByText("eva erased a person submissions: 0", { exact: true }).waitFor();
  const since = entries.getByText(/since: \d{1,2} Nov 2026/);
  await since.first().waitFor();
  await expect.poll(() => entries.getByText(/from:|operators?\./).count()).toBe(0);
});

nightly("of a person with hundreds of submissions it is said that there are more", async () => {
  const { email } = site().submissions[2]!;
  await Promise.all(Array.from({ length: 200 }, (_, number) => site().add(`Ann ${number}`, email)));
  const page = await go(personOf(email));
  await page.getByText("Older ones are not shown. The export has all of them.").waitFor();
  await page.getByRole("button", { name: "Erase" }).click();
  await page.getByRole("dialog").getByText("more than 200 submissions").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
});

test("erasing a person asks first, and then leaves nothing in the list", async () => {
  const { email } = site().submissions[0]!;
  const page = await go(personOf(email));
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
