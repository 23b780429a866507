// One submission in the console, in a real browser: what it shows, and what two operators do at once.
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import type { InboxRow } from "@submissions/shared/console";
import type { Page } from "playwright-core";
import { wholeScope } from "../../../server/src/storage/desk-store.ts";
import { accept, application, inquiry, resume } from "../../contract/records.ts";
import { openBrowser, plainHost } from "../../support/browser.ts";
import { freePort } from "../../support/free-port.ts";
import { nightly } from "../../support/many-or-few.ts";
import { PostmarkStandIn } from "../../support/postmark-stand-in.ts";
import { shared } from "../../support/shared.ts";
import { ConsoleSite, resumePdf } from "../../support/browser/console-site.ts";
import { enter, failNext, oneVisit, operator, pathOf, rows } from "../../support/browser/console-visit.ts";

const browser = shared(openBrowser);
const postmark = shared(PostmarkStandIn.open);
const site = shared(() => ConsoleSite.open({ count: 20, env: postmark().env }));
const { go, expectProblems } = oneVisit(site);

const firstWith = (fits: (one: InboxRow) => boolean): InboxRow => site().submissions.find(fits)!;
const statusOf = (page: Page) => page.getByRole("combobox", { name: "Status" }).inputValue();

nightly("quiet lines fold, and say which tag was changed; a failed mail never folds", async () => {
  const { reference } = firstWith(({ kind, hasResume }) => kind === "application" && hasResume);
  const actor = { operator, at: Date.now() };
  for (const change of [{ add: "hot" }, { add: "price" }, { remove: "hot" }]) {
    await site().store.desk.changeTags(wholeScope, { references: [reference], ...change }, actor);
  }
  await site().store.desk.addNote(wholeScope, reference, "Called.", { ...actor, at: actor.at + 1 });
  const page = await go(`/applications/${reference}`);
  const timeline = page.getByRole("region", { name: "Timeline" });
  const fold = timeline.getByText("3 changes", { exact: true });
  await fold.waitFor();
  await timeline.getByText("Notice to the team Failed").waitFor();
  expect(await timeline.getByText("added the tag price").isVisible()).toBe(false);
  await fold.click();
  await timeline.getByText("added the tag price").waitFor();
  await timeline.getByText("removed the tag hot").waitFor();
});

test("a submission shows what was sent as people read it", async () => {
  // Its notice has failed.
  const one = firstWith(({ kind, hasResume }) => kind === "application" && hasResume);
  const page = await go(pathOf(one));
  await page.getByRole("heading", { name: one.name }).waitFor();
  await expect
    .poll(() => page.getByRole("link", { name: "+44 (0)20 7946-0018" }).getAttribute("href"))
    .toBe("tel:+442079460018");
  await expect
    .poll(() => page.getByRole("link", { name: one.email, exact: true }).getAttribute("href"))
    .toBe(`mailto:${one.email}`);
  await expect.poll(() => page.locator("p.letter").innerText()).toContain("\n\nI am writing");
  // What a stranger wrote as an address leads nowhere from here.
  await page.getByText("https://portfolio.example/ben-novak/samples").waitFor();
  await page.getByRole("button", { name: "Copy the address of Portfolio" }).waitFor();
  await expect.poll(() => page.locator(".fields a[href^=http]:not([href*='/console/'])").count()).toBe(0);
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
  await expect.poll(() => viewer.locator("body").evaluate(() => origin)).toBe("null");
  const { rows: audit } = await site().store.desk.listAudit({});
  expect(audit[0]).toMatchObject({ action: "resume.view", subject: one.reference, operator });
  // The mail that failed goes out without a question.
  await page.getByRole("button", { name: "Send again" }).last().click();
  await page.getByText("The mail is on its way.").waitFor();
  await page
    .getByRole("listitem")
    .filter({ hasText: /^eva sent a mail again: notice to the team(?!,)/ })
    .waitFor();
});

nightly("what the person wants stands first, and r and n change between the boxes of a reply and a note", async () => {
  const more = { utm_source: "linkedin", message: "We need 200 hours.\n\nLéa", budget: "20,000 EUR" };
  const selectedPackageIds = ["en-GB-scottish", "ja-JP-kansai"];
  const sent = inquiry(502, { name: "Léa Rossi", receivedAt: Date.now(), selectedPackageIds, more });
  const { reference } = await accept(site().store, sent);
  const page = await go(`/inquiries/${reference}`);
  const request = page.getByRole("region", { name: "Request" });
  await expect
    .poll(() => request.getByRole("listitem").allInnerTexts())
    .toEqual(["Scottish English, conversations", "Japanese (Japan), kansai"]);
  await expect.poll(() => request.locator(".letter").innerText()).toBe(more.message);
  const further = page.locator("section").filter({ has: page.getByRole("heading", { name: "Further fields" }) });
  await expect.poll(() => further.locator("dt").allInnerTexts()).toEqual(["budget", "utm_source"]);
  const properties = page.getByRole("complementary", { name: "Properties" });
  for (const label of ["Status", "Assignee", "Tags"]) await properties.getByText(label, { exact: true }).waitFor();
  const [note, message] = ["Note", "Message"].map((name) => page.getByRole("textbox", { name }));
  await page.keyboard.press("r");
  await message!.fill("Thank you.");
  await expect.poll(() => note!.count()).toBe(0);
  await page.keyboard.press("Escape");
  await page.keyboard.press("n");
  await expect.poll(() => note!.evaluate((box) => box === document.activeElement)).toBe(true);
  await expect.poll(() => message!.count()).toBe(0);
  await page.keyboard.press("Escape");
  await page.keyboard.press("r");
  await expect.poll(() => message!.inputValue()).toBe("Thank you.");
});

nightly("another submission says why it is shown, and no state lies over its reference", async () => {
  const resumed = (index: number, email: string) =>
    application(index, { email, receivedAt: Date.now(), resume: resume(index) });
  await accept(site().store, resumed(503, "one@twin.example"));
  const { reference } = await accept(site().store, resumed(504, "two@twin.example"));
  // A visit of its own: a resume that was opened stays open, and these have no file.
  await using visit = await enter(browser(), site(), `/applications/${reference}`);
  const { page } = visit;
  await page.getByText("Same resume, other address: one@twin.example").waitFor();
  const other = page.getByRole("complementary", { name: "Properties" }).getByRole("listitem").last();
  const link = (await other.getByRole("link").boundingBox())!;
  const mark = (await other.locator(".mark").boundingBox())!;
  expect(mark.x >= link.x + link.width || mark.y >= link.y + link.height).toBe(true);
});

nightly("the resume is shown, too, where the service is called by another name than that of PUBLIC_URL", async () => {
  const { port } = new URL(site().url);
  const one = firstWith(({ kind, hasResume }) => kind === "application" && hasResume);
  await using visit = await enter(browser(), site(), pathOf(one));
  // The cookie of this name, too.
  const [session] = await visit.context.cookies();
  await visit.context.addCookies([{ ...session!, domain: "localhost" }]);
  await visit.page.goto(`http://localhost:${port}/console${pathOf(one)}`);
  await visit.page.getByRole("button", { name: "Show resume" }).click();
  const viewer = visit.page.frameLocator("iframe[title=Resume]");
  await viewer.getByRole("img", { name: "Page 1: Curriculum vitae" }).waitFor();
});

test("a mail that was sent is sent again only after a question", async () => {
  const mails = async () =>
    (await site().store.desk.listMails(wholeScope, undefined, { limit: 100 })).rows.map(({ id }) => id);
  const before = await mails();
  const page = await go("/mails?status=sent");
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

nightly("there is no button to copy over plain HTTP, where browsers have no clipboard", async () => {
  const port = String(await freePort());
  const env = { PORT: port, PUBLIC_URL: `http://${plainHost}:${port}` };
  await using plain = await ConsoleSite.open({ count: 20, env });
  const one = plain.submissions.find(({ kind }) => kind === "application")!;
  await using visit = await enter(browser(), plain, pathOf(one));
  await visit.page.getByText("https://portfolio.example/ben-novak/samples").waitFor();
  await expect.poll(() => visit.page.getByRole("button", { name: "Copy" }).count()).toBe(0);
});

nightly("texts are written in the direction of their script, and cut at their end", async () => {
  const name = "محمد بن عبد الله الخوارزمي".repeat(3);
  const arabic = { position: "معلّق صوتي. ".repeat(40), coverLetter: "Dear team,\nالسادة الكرام، أسجل الكتب!" };
  const { reference } = await accept(site().store, application(500, { name, receivedAt: Date.now(), ...arabic }));
  const page = await go(`/applications/${reference}`);
  await page.reload();
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

nightly(
  "only operators who see it are offered to assign it to, and it is printed without ways to other pages",
  async () => {
    const one = firstWith(({ kind, status }) => kind === "inquiry" && status === "new");
    const page = await go(pathOf(one));
    await page.getByRole("heading", { name: one.name }).waitFor();
    const offered = () => page.getByRole("combobox", { name: "Assignee" }).getByRole("option").allInnerTexts();
    await expect.poll(offered).toEqual(["Unassigned", "eva (me)", "ben.hart"]);
    await page.keyboard.press("a");
    const choices = page.getByRole("dialog").getByRole("listitem");
    await expect
      .poll(async () => (await choices.allInnerTexts()).map((text) => text.split("@")[0]?.trim().split("\n").at(-1)))
      .toEqual(["eva", "Unassigned", "ben.hart"]);
    await page.keyboard.press("Escape");
    await page.emulateMedia({ media: "print" });
    await expect.poll(() => page.getByRole("heading", { name: one.name }).isVisible()).toBe(true);
    await expect.poll(() => page.getByRole("navigation").count()).toBe(0);
    await expect.poll(() => rows(page).first().isVisible()).toBe(false);
    await page.emulateMedia({ media: null });
  },
);

describe("a second operator", () => {
  test("is told of the first one's change, overwrites nothing and loses no text", async () => {
    const one = await site().add("Nora First");
    const page = await go(pathOf(one));
    await page.getByRole("heading", { name: one.name }).waitFor();
    await page.getByRole("textbox", { name: "Note" }).fill("Half a sentence");
    await site().changeAs("ben@voices.example", one.reference, { status: "done" });
    await page.getByRole("combobox", { name: "Status" }).selectOption("open");
    await page.getByText("Ben set this to done 2 min ago. Your change was not made.").waitFor();
    await expect.poll(() => statusOf(page)).toBe("done");
    await expect.poll(() => page.getByRole("textbox", { name: "Note" }).inputValue()).toBe("Half a sentence");
    await page.getByRole("combobox", { name: "Status" }).selectOption("open");
    await page.getByText("Set to open.").waitFor();
    expect((await site().now(one.reference))[0]).toBe("open");
  });

  nightly("is told when the first one assigned it", async () => {
    const one = await site().add("Nora Second");
    const page = await go(pathOf(one));
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

  nightly("overwrites nothing that was asked for before the page was told of the other one", async () => {
    const one = await site().add("Nora Third");
    const page = await go(pathOf(one));
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
    await page.unroute("**/inbox.triage*");
  });
});

test("what failed is taken back and said", async () => {
  const one = await site().add("Nora Fresh");
  const page = await go(pathOf(one));
  expectProblems(/status of 500/);
  await failNext(page, "inbox.triage");
  await page.getByRole("combobox", { name: "Status" }).selectOption("done");
  await page.getByText("Not changed. Something went wrong on the server. Please try again.").waitFor();
  await expect.poll(() => statusOf(page)).toBe("new");
  expect((await site().now(one.reference))[0]).toBe("new");
});

nightly("spam is released", async () => {
  const { promise: gate, resolve: letThrough } = Promise.withResolvers<void>();
  postmark().gate = gate;
  const one = firstWith(({ status }) => status === "spam");
  const page = await go(pathOf(one));
  await page.getByRole("button", { name: "Release" }).click();
  await page.getByText("Released. Its mails are on their way.").waitFor();
  await expect.poll(() => page.getByRole("button", { name: "Release" }).count()).toBe(0);
  const marks = page.locator(".mark[class*=mail-]");
  await expect.poll(() => marks.allInnerTexts()).toEqual(["Queued", "Queued"]);
  letThrough();
  await expect.poll(() => marks.allInnerTexts()).toEqual(["Sent", "Sent"]);
});

nightly("one that is erased meanwhile, or never was, is not found", async () => {
  const one = await site().add("Nora Fresh");
  const page = await go(pathOf(one));
  expectProblems(/status of 404/);
  await page.getByRole("heading", { name: one.name }).waitFor();
  site().erase(one.reference);
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByText("1 submission could not be found any more.").waitFor();
  await page.getByRole("heading", { name: "Not found" }).waitFor();
  await expect.poll(() => page.title()).not.toContain(one.name);
  await expect.poll(() => rows(page).locator(`[data-reference="${one.reference}"]`).count()).toBe(0);
  await page.goto(`${site().url}/inquiries/INQ-20000101-000000`);
  await page.getByRole("heading", { name: "Not found" }).waitFor();
  await page.getByRole("button", { name: "Inbox" }).click();
  await page.getByRole("heading", { name: "Not found" }).waitFor({ state: "detached" });
});

test("a page that is first opened while the service is down says so, and nothing that was typed is lost", async () => {
  const one = firstWith(({ kind }) => kind === "inquiry");
  const page = await go(pathOf(one));
  expectProblems(/ERR_FAILED/, /Failed to fetch/);
  await page.getByRole("textbox", { name: "Note" }).fill("Half a sentence");
  await page.route("**/*", (route) => route.abort());
  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByText("The server cannot be reached.").waitFor();
  await page.unroute("**/*");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("heading", { name: "Settings" }).waitFor();
  await page.goBack();
  await page.getByRole("heading", { name: one.name }).waitFor();
  await expect.poll(() => page.getByRole("textbox", { name: "Note" }).inputValue()).toBe("Half a sentence");
});

nightly(
  "a page whose file cannot be had says so, and comes with the whole console when it is asked for again",
  async () => {
    const one = firstWith(({ kind }) => kind === "inquiry");
    const page = await go(pathOf(one));
    // It has none of the other pages yet.
    await page.reload();
    expectProblems(/ERR_FAILED/, /dynamically imported module/);
    await page.getByRole("textbox", { name: "Note" }).fill("Half a sentence");
    await page.route("**/assets/settings-page-*", (route) => route.abort());
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByRole("heading", { name: "This could not be loaded" }).waitFor();
    await page.unroute("**/assets/settings-page-*");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { name: "Settings" }).waitFor();
    await page.goBack();
    await expect.poll(() => page.getByRole("textbox", { name: "Note" }).inputValue()).toBe("Half a sentence");
  },
);
