// What persons write back, in the timeline, and the mails that fit no submission, in a real browser.
import { expect, test } from "vitest";
import { wholeScope } from "../../../server/src/storage/desk-store.ts";
import type { NewAnswer } from "../../../server/src/storage/inbound-store.ts";
import { openBrowser, routeNext } from "../../support/browser.ts";
import { shared } from "../../support/shared.ts";
import { ConsoleSite, operators } from "../../support/browser/console-site.ts";
import { oneVisit, pathOf } from "../../support/browser/console-visit.ts";
import { nightly } from "../../support/many-or-few.ts";

const site = shared(() => ConsoleSite.open());
shared(openBrowser);

const { go, expectProblems } = oneVisit(site);

const mail = {
  at: Date.now(),
  messageId: null,
  senderAddress: "ann@example.org",
  senderName: "Ann Buyer",
  subject: "Re: your inquiry",
  reply: null,
  fromKeys: ["ann@example.org"],
  teamKeys: [],
};

test("an open page shows an answer without what it quotes, and whole; who is not verified and what a program wrote is marked", async () => {
  const inquiry = site().submissions.find(({ kind }) => kind === "inquiry")!;
  const write = (more: Partial<NewAnswer> & Pick<NewAnswer, "identity" | "text">) =>
    site().store.inbound.file({ ...mail, submission: inquiry.arrival, sender: "person", files: [], ...more });
  // It is open while they come in.
  const page = await go(pathOf(inquiry));
  await page.getByRole("region", { name: "Timeline" }).waitFor();
  const kept = { key: `2026/11/28/${"a".repeat(32)}`, kind: "pdf", sha256: "b".repeat(64) } as const;
  const files = [
    { name: "offer.pdf", size: 10, kept },
    { name: "run.exe", size: 10, kept: null },
  ];
  await write({ identity: "1", text: "Yes, please.\n\n> We received it", reply: "Yes, please.", files });
  await write({
    identity: "2",
    subject: `Re: your inquiry ${inquiry.reference}`,
    text: "<b>Me too</b>",
    sender: "unverified",
    senderName: "",
    senderAddress: "eve@evil.example",
  });
  await write({ identity: "3", text: "I am away.", sender: "automatic", subject: "Out of office" });
  const answers = page.getByRole("article", { name: "Answer" });
  await answers.getByText("Yes, please.").waitFor();
  // A person may have written there alone.
  await answers.getByText("Subject: Re: your inquiry").waitFor();
  expect(await page.getByText("> We received it").count()).toBe(0);
  await page.getByRole("button", { name: "Show all" }).click();
  await page.getByText("> We received it").waitFor();
  await answers.getByRole("link", { name: "offer.pdf" }).waitFor();
  await answers.getByText("run.exe (not kept)").waitFor();
  const unverified = answers.filter({ hasText: "<b>Me too</b>" });
  await unverified.getByText("Sender not verified").waitFor();
  await unverified.getByText("eve@evil.example").waitFor();
  expect(await unverified.getByText("Subject:").count()).toBe(0);
  expect(await page.getByText("I am away.").isVisible()).toBe(false);
  await page.getByText("Automatic: Out of office").click();
  await page.getByText("I am away.").waitFor();
});

test("an administrator files an unmatched mail under a reference, and deletes one", async () => {
  const inquiry = site().submissions.findLast(({ kind }) => kind === "inquiry")!;
  for (const identity of ["one", "two", "three"]) {
    const unmatched = { ...mail, identity, subject: `Lost ${identity}`, text: `Where does ${identity} belong?` };
    await site().store.inbound.keepUnmatched({ ...unmatched, automatic: false, fileNames: ["a.pdf"] });
  }
  const page = await go("/mails");
  await page.getByRole("link", { name: "Unmatched", exact: true }).first().click();
  await page.getByRole("heading", { name: "Unmatched" }).waitFor();
  await page.getByText("Where does one belong?").waitFor();
  expectProblems(/status of 400/);
  const button = (subject: string, name: string) =>
    page.getByRole("row", { name: subject }).getByRole("button", { name, exact: true });
  await button("Lost one", "File under").click();
  await page.getByRole("textbox", { name: "Reference" }).fill("INQ-20200101-000000");
  await page.getByRole("dialog").getByRole("button", { name: "File under" }).click();
  await page.getByRole("alert").filter({ hasText: /./ }).waitFor();
  await page.getByRole("textbox", { name: "Reference" }).fill(` ${inquiry.reference.toLowerCase()} `);
  await page.getByRole("dialog").getByRole("button", { name: "File under" }).click();
  await page.getByText("Where does one belong?").waitFor({ state: "detached" });
  // What another one has taken away meanwhile is said, before its row is gone with all that stands in it.
  await button("Lost three", "File under").click();
  await page.getByRole("textbox", { name: "Reference" }).fill(inquiry.reference);
  const { rows } = await site().store.inbound.listUnmatched({});
  const { id } = rows.find(({ subject }) => subject === "Lost three")!;
  await site().store.inbound.removeUnmatched(id, { operator: operators.eva[0], at: Date.now() });
  await page.getByRole("dialog").getByRole("button", { name: "File under" }).click();
  await page.getByRole("alert").filter({ hasText: "filed already" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByText("Where does three belong?").waitFor({ state: "detached" });
  await button("Lost two", "Delete").click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("Nothing is left over").waitFor();
  const detail = await site().store.desk.findDetail({ kinds: ["inquiry"], subscribers: false }, inquiry.reference);
  expect(detail?.answers).toMatchObject([{ sender: "unverified", subject: "Lost one" }]);
});

nightly("a note is added once though its answer is lost, corrected by its author, in place, and says so", async () => {
  const inquiry = site().submissions.findLast(({ kind }) => kind === "inquiry")!;
  const note = (text: string, by: string) =>
    site().store.desk.addNote(wholeScope, inquiry.reference, text, { operator: by, at: Date.now() });
  await note("She calls back on Friday.", operators.ben[0]);
  const page = await go(pathOf(inquiry));
  const timeline = page.getByRole("region", { name: "Timeline" });
  const written = page.getByRole("textbox", { name: "Note", exact: true });
  expectProblems(/ERR_FAILED/);
  await routeNext(page, "**/submission.addNote*", (route) => route.fetch().then(() => route.abort()));
  await written.fill("He calls back on Fryday.");
  await written.press("Control+Enter");
  await page.getByText("Not saved. The server cannot be reached.").waitFor();
  await timeline.getByText("He calls back on Fryday.").first().waitFor();
  await page.reload();
  await timeline.getByText("He calls back on Fryday.").first().waitFor();
  await written.press("Control+Enter");
  await expect.poll(() => written.inputValue()).toBe("");
  expect((await site().detail(inquiry.reference)).notes).toHaveLength(2);
  await timeline.getByText("She calls back").waitFor();
  // Of the colleague's there is none.
  await timeline.getByRole("button", { name: "Edit" }).click();
  await page.getByRole("textbox", { name: "Edit note" }).fill("x".repeat(10_000));
  await page.getByText("There is room for 10,000 characters. What is beyond was cut off.").waitFor();
  const edited = page.getByRole("textbox", { name: "Edit note" });
  await edited.fill("He calls back on Friday.");
  // Escape keeps the words, and Cancel does not.
  await page.keyboard.press("Escape");
  await timeline.getByRole("button", { name: "Edit" }).click();
  await expect.poll(() => edited.inputValue()).toBe("He calls back on Friday.");
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await timeline.getByRole("button", { name: "Edit" }).click();
  await expect.poll(() => edited.inputValue()).toBe("He calls back on Fryday.");
  await edited.fill("He calls back on Friday.");
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await timeline.getByText("He calls back on Friday.", { exact: true }).waitFor();
  await timeline.getByText("edited").waitFor();
  const { notes } = await site().detail(inquiry.reference);
  expect(notes.map(({ text }) => text)).toEqual(["She calls back on Friday.", "He calls back on Friday."]);
  // Emptied by hand and written again it is another one.
  const alike = "Sent the price list.";
  await routeNext(page, "**/submission.addNote*", (route) => route.fetch().then(() => route.abort()));
  await written.fill(alike);
  await written.press("Control+Enter");
  await timeline.getByText(alike).first().waitFor();
  await written.fill("");
  await written.fill(alike);
  await written.press("Control+Enter");
  await expect.poll(() => written.inputValue()).toBe("");
  expect((await site().detail(inquiry.reference)).notes.filter(({ text }) => text === alike)).toHaveLength(2);
});

nightly(
  "with the next one not opened, a reply leaves its submission open, and the row says how long ago it was",
  async () => {
    const page = await go("/settings");
    const next = page.getByRole("checkbox", { name: "Open the next submission after sending" });
    await next.uncheck();
    const one = await site().add("Zora Later");
    await page.goto(site().url + pathOf(one));
    await page.getByRole("button", { name: "Reply", exact: true }).click();
    const message = page.getByRole("textbox", { name: "Message" });
    await message.fill("You hear from us tomorrow.");
    await message.press("Control+Shift+Enter");
    await message.waitFor({ state: "detached" });
    expect(new URL(page.url()).pathname).toMatch(one.reference);
    const row = page.getByRole("link", { name: /^Zora Later/ });
    await row.getByText("Replied now").waitFor();
    await page.getByRole("button", { name: "Snooze" }).click();
    const dialog = page.getByRole("dialog");
    const day = await dialog.getByLabel("Date").getAttribute("min");
    await dialog.getByLabel("Date").fill(day!);
    await dialog.getByRole("button", { name: "Snooze" }).click();
    const until = async () => (await site().detail(one.reference)).submission.snoozedUntil ?? 0;
    await expect.poll(until).toBe(Date.parse(`${day}T08:00`));
    const { submission } = await site().detail(one.reference);
    const came = { ...mail, at: Date.now(), identity: "back", text: "I am back.", senderAddress: submission.email };
    const arrival = (await site().list({ search: "Zora Later" }))[0]!.arrival;
    await site().store.inbound.file({ ...came, submission: arrival, sender: "person", files: [] });
    expect(await until()).toBe(0);
    await row.getByText("Answered now").waitFor();
    await go("/settings");
    await next.check();
  },
);
