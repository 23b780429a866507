// What operators are called, in a real browser.
import { expect, test } from "vitest";
import { hashSecret } from "../../../server/src/secrets.ts";
import { wholeScope } from "../../../server/src/storage/desk-store.ts";
import { passwordHash } from "../../support/console/operator.ts";
import { accept, inquiry } from "../../contract/records.ts";
import { openBrowser, Visit } from "../../support/browser.ts";
import { atNight, nightly } from "../../support/many-or-few.ts";
import { shared } from "../../support/shared.ts";
import { ConsoleSite, operators } from "../../support/browser/console-site.ts";
import { enter, oneVisit, operator } from "../../support/browser/console-visit.ts";

const browser = shared(openBrowser);
const site = shared(() => ConsoleSite.open({ count: 20 }));
const { go, expectProblems } = oneVisit(site);

nightly("operators who are called the same are told apart by their addresses", async () => {
  const one = site().submissions.find(({ kind, status }) => kind === "inquiry" && status === "new")!;
  for (const [email, name] of [
    ["eva@other.example", undefined],
    ["ben@other.example", "Ben.Hart"],
  ] as const) {
    const token = await site().invite(email, "sales");
    await site().store.access.acceptInvitation(hashSecret(token), passwordHash, Date.now(), name);
  }
  const page = await go(`/inquiries/${one.reference}`);
  await page.reload();
  const offered = () => page.getByRole("combobox", { name: "Assignee" }).getByRole("option").allInnerTexts();
  await expect
    .poll(offered)
    .toEqual(["Unassigned", `${operator} (me)`, "ben.hart@voices.example", "ben@other.example", "eva@other.example"]);
});

nightly("a display name stands wherever its operator is named", async () => {
  const one = site().submissions.find(({ kind, status }) => kind === "inquiry" && status === "new")!;
  const page = await go("/settings");
  expectProblems(/status of 400/);
  const name = page.getByRole("textbox", { name: "Display name" });
  const save = page.getByRole("button", { name: "Save name" });
  await name.fill("eva@voices.example");
  await save.click();
  await page.getByText("A name holds no @.").waitFor();
  await name.fill("Eva Novák");
  await save.click();
  await page.getByText("Your name is saved.").waitFor();
  await page.locator(".lines").getByText("Eva Novák").waitFor();

  await go(`/inquiries/${one.reference}`);
  const assignee = page.getByRole("combobox", { name: "Assignee" });
  await assignee.selectOption({ label: "Eva Novák (me)" });
  await page.getByText("Assigned to Eva Novák.").waitFor();
  await page.getByRole("textbox", { name: "Note" }).fill("Called.");
  await page.getByRole("button", { name: "Add note" }).click();
  const timeline = page.getByRole("region", { name: "Timeline" }).getByRole("listitem");
  await timeline.filter({ hasText: "Eva Novák assigned it to Eva Novák" }).waitFor();
  await timeline.filter({ hasText: "Eva Novák noted" }).waitFor();
  await go("/audit");
  await page.locator(`strong[title="${operator}"]`, { hasText: "Eva Novák" }).first().waitFor();
  await page.goto(`${site().url}/settings`);
  await expect.poll(() => name.inputValue()).toBe("Eva Novák");
});

nightly("mails about assignments are turned off in the settings", async () => {
  await using visit = await enter(browser(), site(), "/settings", { as: operators.ben[0] });
  const mailed = visit.page.getByRole("checkbox", { name: "Mail me when a submission is assigned to me" });
  await expect.poll(() => mailed.isChecked()).toBe(true);
  await mailed.uncheck();
  await expect.poll(async () => (await site().store.access.findOperator(operators.ben[0]))?.mailAssigned).toBe(0);
  await visit.page.reload();
  await mailed.waitFor();
  await expect.poll(() => mailed.isChecked()).toBe(false);
});

test("the page of a person tells who it is, and all that became of what was sent", async () => {
  const one = site().submissions.find(({ kind, status }) => kind === "application" && status === "new")!;
  const latest = inquiry(900, { email: one.email, company: "Kalomi", receivedAt: Date.now() });
  const inquired = await accept(site().store, latest);
  const actor = { operator: operators.ben[0], at: Date.now() };
  await site().store.desk.addNote(wholeScope, inquired.reference!, "Wants a sample.", actor);
  const page = await go(`/people/${encodeURIComponent(one.email)}`);
  const fact = (label: string) => page.locator("dl > div").filter({ has: page.getByText(label, { exact: true }) });
  await fact("Company").getByText("Kalomi").waitFor();
  await page.getByRole("heading", { level: 1, name: latest.name }).waitFor();
  await fact("E-mail").getByText(one.email).waitFor();
  await expect.poll(() => fact("Telephone").getByRole("link").getAttribute("href")).toMatch(/^tel:\+44/);
  await page.getByRole("heading", { name: "Newsletter" }).waitFor();
  const story = page.getByRole("region", { name: "Timeline" }).getByRole("listitem");
  await story.filter({ hasText: one.reference }).filter({ hasText: "Received" }).waitFor();
  // What follows on the first entry of a submission is of the same one.
  await story.filter({ hasText: inquired.reference! }).filter({ hasText: "Received" }).waitFor();
  await expect.poll(() => story.filter({ hasText: "Wants a sample." }).getByRole("link").count()).toBe(0);
  await story.filter({ hasText: "Subscribed to the newsletter" }).waitFor();
  await story.filter({ hasText: "Welcome mail" }).waitFor();

  if (!atNight) return;
  await using other = await enter(browser(), site(), `/people/${encodeURIComponent(one.email)}`, {
    as: operators.ben[0],
  });
  await other.page.getByText("Wants a sample.").waitFor();
  for (const unseen of [one.reference, "Subscribed to the newsletter", "Welcome mail"])
    expect(await other.page.getByText(unseen).count()).toBe(0);
});

nightly("a link of an invitation that was used says so", async () => {
  await using visit = await Visit.begin(browser());
  visit.expectProblems(/status of 400/);
  await visit.page.goto(`${site().url}/invitation#token=used`);
  await visit.page.getByText("This link was used or has expired.").waitFor();
  await expect.poll(() => visit.page.getByRole("button", { name: "Set password" }).count()).toBe(0);
});
