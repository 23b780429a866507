// What persons write back, in the timeline, and the mails that fit no submission, in a real browser.
import { expect, test } from "vitest";
import type { NewAnswer } from "../../../server/src/storage/inbound-store.ts";
import { openBrowser } from "../../support/browser.ts";
import { shared } from "../../support/shared.ts";
import { ConsoleSite } from "../../support/browser/console-site.ts";
import { oneVisit, pathOf } from "../../support/browser/console-visit.ts";

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
    text: "<b>Me too</b>",
    sender: "unverified",
    senderName: "",
    senderAddress: "eve@evil.example",
  });
  await write({ identity: "3", text: "I am away.", sender: "automatic", subject: "Out of office" });
  const answers = page.getByRole("article", { name: "Answer" });
  await answers.getByText("Yes, please.").waitFor();
  expect(await page.getByText("> We received it").count()).toBe(0);
  await page.getByRole("button", { name: "Show all" }).click();
  await page.getByText("> We received it").waitFor();
  await answers.getByRole("link", { name: "offer.pdf" }).waitFor();
  await answers.getByText("run.exe (not kept)").waitFor();
  const unverified = answers.filter({ hasText: "<b>Me too</b>" });
  await unverified.getByText("Sender not verified").waitFor();
  await unverified.getByText("eve@evil.example").waitFor();
  expect(await page.getByText("I am away.").isVisible()).toBe(false);
  await page.getByText("Automatic: Out of office").click();
  await page.getByText("I am away.").waitFor();
});

test("an administrator files an unmatched mail under a reference, and deletes one", async () => {
  const inquiry = site().submissions.findLast(({ kind }) => kind === "inquiry")!;
  for (const identity of ["one", "two"]) {
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
  await page.getByRole("textbox", { name: "Reference" }).fill(inquiry.reference);
  await page.getByRole("dialog").getByRole("button", { name: "File under" }).click();
  await page.getByText("Where does one belong?").waitFor({ state: "detached" });
  await button("Lost two", "Delete").click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("Nothing is left over").waitFor();
  const detail = await site().store.desk.findDetail({ kinds: ["inquiry"], subscribers: false }, inquiry.reference);
  expect(detail?.answers).toMatchObject([{ sender: "unverified", subject: "Lost one" }]);
});
