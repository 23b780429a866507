// Answering a person in the console, in a real browser.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Locator, Route } from "playwright-core";
import { expect, test } from "vitest";
import { wholeScope } from "../../../server/src/storage/desk-store.ts";
import type { StoredSubmission } from "../../../server/src/storage/records.ts";
import { accept, inquiry } from "../../contract/records.ts";
import { openFolder } from "../../support/folder.ts";
import { shared } from "../../support/shared.ts";
import { ConsoleSite, operators } from "../../support/browser/console-site.ts";
import { holdNext, oneVisit, operator, signOut } from "../../support/browser/console-visit.ts";
import { nightly } from "../../support/many-or-few.ts";
import { routeNext } from "../../support/browser.ts";

const site = shared(() => ConsoleSite.open({ count: 20 }));
const { go, expectProblems } = oneVisit(site);

let taken = 600;
/** Each test has its own. */
async function newInquiry(): Promise<StoredSubmission> {
  taken += 1;
  const { reference } = await accept(site().store, inquiry(taken, { receivedAt: Date.now() }));
  return (await site().detail(reference!)).submission;
}
const pathOf = ({ reference }: StoredSubmission) => `/inquiries/${reference}`;

test("a reply is begun with r, sent and marked done, and taken back with the status and the words", async () => {
  const one = await newInquiry();
  const page = await go(pathOf(one));
  await page.getByRole("heading", { name: one.name }).waitFor();
  await page.keyboard.press("r");
  const message = page.getByRole("textbox", { name: "Message" });
  await expect.poll(() => message.evaluate((field) => document.activeElement === field)).toBe(true);
  await expect.poll(() => message.inputValue()).toBe(`Hello ${one.name},\n\nabout your inquiry ${one.reference}: `);
  await message.fill("We will call you tomorrow.");
  await page.getByRole("button", { name: "Send and mark done" }).click();
  await page.getByRole("button", { name: "Undo", exact: true }).waitFor();
  // A submission without an assignee goes to who answers it, and the next one of the list opens.
  await expect.poll(() => site().now(one.reference)).toEqual(["done", one.assignee ?? operator]);
  await page.waitForURL((url) => !url.pathname.endsWith(one.reference));
  await page.reload();
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await page.getByText("The reply is taken back.").waitFor();
  expect(await site().now(one.reference)).toEqual(["new", one.assignee]);
  expect((await site().detail(one.reference)).replies).toEqual([]);
  // Nothing is left of an offer that was taken.
  expect(await page.evaluate(() => Object.keys(localStorage).filter((name) => name.includes(" undo ")))).toEqual([]);
  await go(pathOf(one));
  await page.getByRole("button", { name: "Reply", exact: true }).click();
  await expect.poll(() => message.inputValue()).toBe("We will call you tomorrow.");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await expect
    .poll(async () => (await site().detail(one.reference)).replies)
    .toMatchObject([{ author: operator, text: "We will call you tomorrow." }]);
  expect(await site().now(one.reference)).toEqual(["open", one.assignee ?? operator]);
  await go(`?status=todo&waiting=them`);
  await page
    .locator(".row")
    .filter({ hasText: one.name })
    .getByText(/^Replied/)
    .waitFor();
});

nightly("a saved answer goes in at the cursor, Ctrl+Z takes it out, and keys send", async () => {
  const answer = {
    id: null,
    kind: "inquiry",
    title: "Prices",
    text: "Prices of {reference}.",
    language: null,
  } as const;
  await site().store.replies.changeSavedAnswer(wholeScope, answer, { operator, at: Date.now() });
  const one = await newInquiry();
  const page = await go(pathOf(one));
  await page.reload();
  await page.getByRole("button", { name: "Reply", exact: true }).click();
  const message = page.getByRole("textbox", { name: "Message" });
  await message.fill("Before. After.");
  await message.evaluate((field: HTMLTextAreaElement) => field.setSelectionRange(8, 8));
  await page.getByRole("combobox", { name: "Saved answer" }).selectOption("Prices");
  const whole = `Before. Prices of ${one.reference}.After.`;
  await expect.poll(() => message.inputValue()).toBe(whole);
  await page.keyboard.press("Control+z");
  await expect.poll(() => message.inputValue()).toBe("Before. After.");
  await page.keyboard.press("Control+Shift+z");
  await expect.poll(() => message.inputValue()).toBe(whole);
  expect(await page.getByRole("checkbox", { name: "Quote their message" }).isChecked()).toBe(true);
  await page.keyboard.press("Control+Shift+Enter");
  await expect.poll(() => site().now(one.reference)).toEqual(["open", one.assignee ?? operator]);
  expect((await site().detail(one.reference)).replies).toMatchObject([{ text: whole }]);
});

test("what is done next leaves a reply its ten seconds: undo takes back one after the other", async () => {
  const one = await newInquiry();
  const page = await go(pathOf(one));
  await page.getByRole("button", { name: "Reply", exact: true }).click();
  await page.getByRole("textbox", { name: "Message" }).fill("Too early.");
  await page.keyboard.press("Control+Shift+Enter");
  await page.waitForURL((url) => !url.pathname.endsWith(one.reference));
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByText("Set to done.").waitFor();
  expect(await page.getByRole("button", { name: "Undo", exact: true }).count()).toBe(1);
  await page.keyboard.press("z");
  await page.getByText("Undone.").waitFor();
  await page.keyboard.press("z");
  await page.getByText("The reply is taken back.").waitFor();
  expect((await site().detail(one.reference)).replies).toEqual([]);
});

test("two replies that are taken back at once keep their words, and so does what was begun since", async () => {
  const both = [await newInquiry(), await newInquiry()] as const;
  const page = await go();
  // Sent a minute from now, so that there is time to take them back.
  const until = Date.now() + 60_000;
  const words = both.map(({ reference }) => ({ reference, text: `Words about ${reference}.` }));
  const sent = await site().store.replies.send(wholeScope, words, false, { operator, at: until });
  const offers = ("outcomes" in sent ? sent.outcomes : []).map((outcome, at) => {
    const undone = { ...words[at]!, reply: "id" in outcome && outcome.id };
    return [`undo ${undone.reference}`, JSON.stringify({ said: `Sent ${at}.`, undone, until })] as const;
  });
  await page.evaluate(
    ([of, kept]) => {
      // What the test before was offered would be taken back first.
      for (const name of Object.keys(localStorage)) if (name.includes(" undo ")) localStorage.removeItem(name);
      for (const [name, value] of kept) localStorage.setItem(`console.draft ${of} ${name}`, value);
    },
    [operator, [...offers, [`reply ${both[0].reference}`, "Begun since."] as const]] as const,
  );
  await page.goto(site().url + pathOf(both[0]));
  const message = page.getByRole("textbox", { name: "Message" });
  await expect.poll(() => message.inputValue()).toBe("Begun since.");
  const held = await holdNext(page, "**/reply.undo*");
  const undo = page.getByRole("button", { name: "Undo", exact: true });
  await undo.click();
  await held.answered;
  // The answer to the second one is lost: its words are there all the same, and it can be asked for again.
  expectProblems(/ERR_FAILED/);
  await routeNext(page, "**/reply.undo*", (route) => route.fetch().then(() => route.abort()));
  await undo.click();
  await page.getByText("Not taken back. The server cannot be reached.").waitFor();
  await undo.click();
  await page.getByText("The reply is taken back.").waitFor();
  await expect
    .poll(async () => Promise.all(both.map(async (one) => (await site().detail(one.reference)).replies)))
    .toEqual([[], []]);
  await held.release();
  await expect.poll(() => message.inputValue()).toBe(`${words[0]!.text}\n\nBegun since.`);
  await go(pathOf(both[1]));
  await page.getByRole("button", { name: "Reply", exact: true }).click();
  await expect.poll(() => message.inputValue()).toBe(words[1]!.text);
});

test("a reply whose answer is lost is not sent again by mistake, and one that comes late moves nothing", async () => {
  const one = await newInquiry();
  const page = await go(pathOf(one));
  expectProblems(/ERR_FAILED/, /status of 409/);
  const message = page.getByRole("textbox", { name: "Message" });
  await page.getByRole("button", { name: "Reply", exact: true }).click();
  await message.fill("Only once.");
  const lose = (route: Route) => route.fetch().then(() => route.abort());
  await routeNext(page, "**/reply.send*", lose);
  await page.keyboard.press("Control+Shift+Enter");
  await page.getByText("Not sent. The server cannot be reached.").waitFor();
  // By now the page shows it, and so would take it for seen.
  await page.getByRole("region", { name: "Timeline" }).getByText("Only once.").first().waitFor();
  // So does a page that is loaded again.
  await page.reload();
  await page.getByRole("region", { name: "Timeline" }).getByText("Only once.").first().waitFor();
  await message.press("Control+Shift+Enter");
  await page.getByRole("button", { name: "Send anyway" }).waitFor();
  expect((await site().detail(one.reference)).replies).toHaveLength(1);
  await routeNext(page, "**/reply.send*", lose);
  await page.getByRole("button", { name: "Send anyway" }).click();
  await page.getByText("Not sent. The server cannot be reached.").waitFor();
  await expect
    .poll(() => page.getByRole("region", { name: "Timeline" }).getByText("Only once.").count())
    .toBeGreaterThan(1);
  await message.press("Control+Shift+Enter");
  await page.getByRole("button", { name: "Send anyway" }).waitFor();
  expect((await site().detail(one.reference)).replies).toHaveLength(2);
  const held = await holdNext(page, "**/reply.send*");
  await page.getByRole("button", { name: "Send anyway" }).click();
  await held.answered;
  await go("/settings");
  await page.getByRole("heading", { name: "Saved answers" }).waitFor();
  await go(pathOf(one));
  await expect.poll(() => message.inputValue()).toBe("Only once.");
  await held.release();
  // The next one is not opened, and what was sent is no draft any more.
  await expect.poll(() => message.inputValue()).toBe("");
  expect(page.url()).toContain(one.reference);
});

test("what another tab has sent is no draft any more", async () => {
  const one = await newInquiry();
  const page = await go(pathOf(one));
  await page.getByRole("button", { name: "Reply", exact: true }).click();
  await page.getByRole("textbox", { name: "Message" }).fill("Once.");
  const tab = await page.context().newPage();
  await tab.goto(page.url());
  const message = tab.getByRole("textbox", { name: "Message" });
  await message.fill("Once and for all.");
  await expect.poll(() => page.getByRole("textbox", { name: "Message" }).inputValue()).toBe("Once and for all.");
  await message.press("Control+Shift+Enter");
  await expect.poll(() => page.getByRole("textbox", { name: "Message" }).inputValue()).toBe("");
  expect(await page.getByRole("button", { name: "Send", exact: true }).isDisabled()).toBe(true);
  await tab.close();
});

test("a reply that misses another one is refused, and can be sent anyway", async () => {
  const one = await newInquiry();
  const page = await go(pathOf(one), { viewport: { width: 1440, height: 560 } });
  const isInView = (place: Locator) =>
    place.evaluate((element) => element.getBoundingClientRect().bottom <= innerHeight);
  expectProblems(/status of 409/, /ERR_FAILED/);
  await page.getByRole("button", { name: "Reply", exact: true }).click();
  await expect.poll(() => isInView(page.getByRole("button", { name: "Send and mark done" }))).toBe(true);
  await page.getByRole("textbox", { name: "Message" }).fill("My answer.");
  // The page is not told before it sends.
  await page.route("**/inbox.since*", (route) => route.abort());
  const at = Date.now();
  const earlier = [{ reference: one.reference, text: "An earlier answer." }];
  await site().store.replies.send(wholeScope, earlier, false, { operator: operators.ben[0], at });
  await page.keyboard.press("Control+Shift+Enter");
  const refusal = page.getByRole("alert").filter({ hasText: "ben.hart" });
  await refusal.waitFor();
  // The server says it in UTC.
  await refusal.getByText(/at \d+ \w+ \d{4}, \d\d:\d\d\./).waitFor();
  await expect.poll(() => isInView(refusal)).toBe(true);
  expect((await site().detail(one.reference)).replies).toHaveLength(1);
  await page.unroute("**/inbox.since*");
  // Behind it no call that was broken off is told of any more.
  const told = page.waitForResponse(/inbox\.since/);
  await page.getByRole("button", { name: "Send anyway" }).click();
  await expect.poll(async () => (await site().detail(one.reference)).replies).toHaveLength(2);
  await told;
});

test("files are attached to a reply, removed, refused, sent, and downloaded from the timeline", async () => {
  const one = await newInquiry();
  const page = await go(pathOf(one));
  expectProblems(/status of 4(?:13|15)/);
  await page.getByRole("button", { name: "Reply", exact: true }).click();
  await page.getByRole("textbox", { name: "Message" }).fill("Here is our offer.");
  const choosing = async () => {
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Attach file" }).click();
    return await chooser;
  };
  const choose = async (...files: { name: string; buffer: Buffer }[]) =>
    (await choosing()).setFiles(files.map((file) => ({ mimeType: "application/octet-stream", ...file })));
  const offer = { name: "Angebot für Zoë.pdf", buffer: Buffer.from("%PDF our offer") };
  await choose(offer, { name: "spare.txt", buffer: Buffer.from("spare") });
  const attached = page.getByRole("list", { name: "Files" });
  await page.getByRole("button", { name: "Remove spare.txt" }).click();
  await expect.poll(() => attached.getByRole("listitem").count()).toBe(1);
  await choose({ name: "setup.exe", buffer: Buffer.from("MZ") });
  await page.getByRole("alert").filter({ hasText: "setup.exe: Programs are not sent with a reply." }).waitFor();
  // Never sent: it is known to be too large. A path, because bytes would go to the browser as text.
  await using folder = await openFolder();
  const large = join(folder.path, "large.bin");
  await writeFile(large, Buffer.alloc(7 * 1024 * 1024));
  await (await choosing()).setFiles(large);
  await page.getByRole("alert").filter({ hasText: "at most 5 files, of 7 MB in all" }).waitFor();
  // A draft keeps its files over a reload.
  await page.reload();
  await attached.getByText("Angebot für Zoë.pdf").waitFor();
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await expect.poll(async () => (await site().detail(one.reference)).replies).toHaveLength(1);
  // Undo attaches them again.
  await page.getByRole("button", { name: "Undo" }).click();
  await expect.poll(async () => (await site().detail(one.reference)).attached).toHaveLength(1);
  await page.goto(site().url + pathOf(one));
  await page.getByRole("textbox", { name: "Message" }).waitFor();
  await attached.getByText("Angebot für Zoë.pdf").waitFor();
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByRole("button", { name: "Undo" }).waitFor();
  await page.goto(site().url + pathOf(one));
  const link = page.getByRole("region", { name: "Timeline" }).getByRole("link", { name: "Angebot für Zoë.pdf" });
  const download = page.waitForEvent("download");
  await link.click();
  expect((await download).suggestedFilename()).toBe("Angebot für Zoë.pdf");
  expect(await readFile(await (await download).path(), "utf8")).toBe("%PDF our offer");
  expect((await site().detail(one.reference)).attached).toEqual([]);
});

nightly("a file that is attached stays with the reply, once, whatever the page reads or shows meanwhile", async () => {
  const one = await newInquiry();
  const page = await go(pathOf(one));
  await page.getByRole("button", { name: "Reply", exact: true }).click();
  await page.getByRole("textbox", { name: "Message" }).fill("Here is our offer.");
  const attach = (name: string) =>
    page.locator("input[type=file]").setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(name) });
  const files = page.getByRole("list", { name: "Files" }).getByRole("listitem");
  const removeButton = (name: string) => page.getByRole("button", { name: `Remove ${name}` });
  const send = page.getByRole("button", { name: "Send", exact: true });

  // The operator leaves and comes back, and the page reads of the file before the upload is answered.
  const upload = await holdNext(page, "**/replies/files/*");
  await attach("offer.txt");
  await upload.answered;
  await page.getByRole("link", { name: "Mails", exact: true }).click();
  await page.getByRole("heading", { name: "Mails", level: 1 }).waitFor();
  await page.goBack();
  await page.getByText("offer.txt is uploaded…").waitFor();
  expect(await send.isDisabled()).toBe(true);
  await removeButton("offer.txt").waitFor();
  await upload.release();
  await expect.poll(() => files.allInnerTexts()).toEqual(["offer.txt 1 kB"]);

  // An answer that was given before the next file was attached comes after it.
  const read = await holdNext(page, "**/submission.get*");
  await site().changeAs(operators.ben[0], one.reference, { assignee: operators.ben[0] });
  await read.answered;
  await attach("terms.txt");
  await removeButton("terms.txt").waitFor();
  await read.release();
  const assignee = page.getByRole("combobox", { name: "Assignee" });
  await expect.poll(() => assignee.inputValue()).toBe(operators.ben[0]);
  await send.click();
  await expect.poll(async () => (await site().detail(one.reference)).replies).toHaveLength(1);
  const { replies, attached } = await site().detail(one.reference);
  expect(replies[0]!.files.map(({ name }) => name)).toEqual(["offer.txt", "terms.txt"]);
  expect(attached).toEqual([]);
});

nightly("a snoozed submission leaves what is to be done until its time", async () => {
  const one = await newInquiry();
  const page = await go(pathOf(one));
  await page.getByRole("heading", { name: one.name }).waitFor();
  await page.keyboard.press("h");
  // More digits would be no day, and the snooze would end at once.
  await page.getByLabel("Date").press("0");
  await page.keyboard.type("1012027199");
  expect(await page.getByLabel("Date").inputValue()).toMatch(/^\d{4}-/);
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^Tomorrow/ })
    .click();
  await expect
    .poll(async () => (await site().detail(one.reference)).submission.snoozedUntil)
    .toBeGreaterThan(Date.now());
  const { rows: todo } = await site().store.desk.listSubmissions(wholeScope, { status: "todo" }, {});
  expect(todo.map(({ reference }) => reference)).not.toContain(one.reference);
  await go();
  await page.locator(".row").first().waitFor();
  await expect.poll(() => page.locator(`[data-reference="${one.reference}"]`).count()).toBe(0);
});

nightly("undo of a snooze ends it where the one before had passed", async () => {
  const one = await newInquiry();
  site().change(`UPDATE submission SET snoozed_until = ${Date.now() - 3_600_000} WHERE reference = '${one.reference}'`);
  const page = await go(pathOf(one));
  await page.getByRole("heading", { name: one.name }).waitFor();
  await page.keyboard.press("h");
  const tomorrow = page.getByRole("dialog").getByRole("button", { name: /^Tomorrow/ });
  await tomorrow.click();
  const until = async () => (await site().detail(one.reference)).submission.snoozedUntil;
  await expect.poll(until).toBeGreaterThan(Date.now());
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await expect.poll(until).toBeNull();
});

nightly("a message to a person who used a German form begins in German", async () => {
  const one = site().submissions.find(({ kind }) => kind === "application")!;
  const page = await go(`/applications/${one.reference}`);
  await page.getByRole("button", { name: "Reply", exact: true }).click();
  const message = page.getByRole("textbox", { name: "Message" });
  const begin = `Guten Tag ${one.name},\n\nzu Ihrer Bewerbung ${one.reference}: `;
  await expect.poll(() => message.inputValue()).toBe(begin);
});

nightly("a message begins without a name that may be a link, and a saved answer says what it leaves out", async () => {
  const hostile = { name: "evil.example/login", company: "www evil example", receivedAt: Date.now() };
  const { reference } = await accept(site().store, inquiry(501, hostile));
  const answer = {
    id: null,
    kind: "inquiry",
    title: "Of a company",
    text: "Thank you, dear {name}, of {company}.",
    language: null,
  } as const;
  await site().store.replies.changeSavedAnswer(wholeScope, answer, { operator, at: Date.now() });
  const page = await go(`/inquiries/${reference}`);
  // The page has asked for saved answers before.
  await page.reload();
  await page.getByRole("button", { name: "Reply", exact: true }).click();
  const message = page.getByRole("textbox", { name: "Message" });
  await expect.poll(() => message.inputValue()).toBe(`Hello,\n\nabout your inquiry ${reference}: `);
  await page.getByRole("combobox", { name: "Saved answer" }).selectOption("Of a company");
  await page.getByText("Left out, because it may be a link or advertising: {name}, {company}.").waitFor();
  await expect.poll(() => message.inputValue()).toBe("Thank you, dear, of.");
});

nightly("what became of a submission is one list in the order of time", async () => {
  const one = await newInquiry();
  const page = await go(pathOf(one));
  await page.getByRole("textbox", { name: "Note" }).fill("A good customer.");
  await page.getByRole("button", { name: "Add note" }).click();
  const items = page.getByRole("region", { name: "Timeline" }).getByRole("listitem");
  await expect.poll(() => items.last().innerText()).toContain("A good customer.");
  await expect.poll(() => items.first().innerText()).toContain("Received");
  await expect.poll(() => items.nth(1).innerText()).toContain("Receipt");
  const properties = page.getByRole("complementary", { name: "Properties" });
  await properties.getByRole("combobox", { name: "Status" }).waitFor();
  await expect.poll(() => properties.innerText()).toContain(one.reference);
});

test("a saved answer fills the message, and answers several at once, each as it is shown", async () => {
  const page = await go("/settings");
  expectProblems(/status of 400/);
  await page.getByRole("button", { name: "Add saved answer" }).click();
  await page.getByRole("textbox", { name: "Title" }).fill("Thanks");
  await page.getByRole("combobox", { name: "Kind" }).selectOption("inquiry");
  const text = page.getByRole("textbox", { name: "Text" });
  await text.fill("Hello {nmae}");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("There is no placeholder {nmae}.").waitFor();
  await text.fill("Thank you, {name}: {reference}");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  // What was begun before another operator changed it overwrites nothing, also when it is opened again.
  const edit = page.getByRole("listitem").filter({ hasText: "Thanks" }).getByRole("button", { name: "Edit" });
  await edit.click();
  await text.fill("Mine");
  await page.keyboard.press("Escape");
  const saved = (await site().store.replies.listSavedAnswers(wholeScope)).find(({ title }) => title === "Thanks")!;
  const others = (words: string) =>
    site().store.replies.changeSavedAnswer(wholeScope, { ...saved, text: words }, { operator, at: Date.now() });
  await others("Theirs");
  await page.reload();
  await edit.click();
  await expect.poll(() => text.inputValue()).toBe("Mine");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("This text was changed meanwhile.").waitFor();
  await others(saved.text);
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  // Earlier tests have answered some, and begun a message to others.
  const [one, other] = [await site().add("Nora Berg"), await site().add("Otto Klee")];
  await go(`/inquiries/${one.reference}`);
  await page.getByRole("button", { name: "Reply", exact: true }).click();
  await page.getByRole("combobox", { name: "Saved answer" }).selectOption("Thanks");
  const filled = `Thank you, ${one.name}: ${one.reference}`;
  await expect.poll(() => page.getByRole("textbox", { name: "Message" }).inputValue()).toBe(filled);
  await go("?status=new&kind=inquiry");
  for (const { reference } of [one, other])
    await page
      .locator(`.row:has([data-reference="${reference}"]), .row[data-reference="${reference}"]`)
      .first()
      .getByRole("checkbox")
      .check();
  await page.getByRole("button", { name: "Reply to selected" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("combobox", { name: "Saved answer" }).selectOption("Thanks");
  await dialog.getByText(filled).waitFor();
  await dialog.getByText(`Thank you, ${other.name}: ${other.reference}`).waitFor();
  await dialog.getByRole("button", { name: "Send and mark done" }).click();
  await page.getByText("2 replies will go out in ten seconds.").waitFor();
  const { submission, replies } = await site().detail(other.reference);
  expect([submission.status, replies]).toMatchObject(["done", [{ author: operator }]]);
});

nightly("a message that was begun survives a reload, and not a sign-out", async () => {
  const one = await newInquiry();
  const page = await go(pathOf(one));
  await page.getByRole("button", { name: "Reply", exact: true }).click();
  const message = page.getByRole("textbox", { name: "Message" });
  await message.fill("Half a sentence");
  await page.reload();
  await expect.poll(() => message.inputValue()).toBe("Half a sentence");
  await signOut(page);
  await page.getByRole("button", { name: "Sign in" }).waitFor();
  await expect.poll(() => page.evaluate(() => Object.keys(localStorage))).toEqual([]);
});
