// A recruiter's morning in a real browser, by keyboard: applications are read, moved on and declined.
import { stages } from "@submissions/shared/stages";
import { expect, test } from "vitest";
import { wholeScope } from "../../../server/src/storage/desk-store.ts";
import { accept, application } from "../../contract/records.ts";
import { ConsoleSite, operators } from "../../support/browser/console-site.ts";
import { findingsIn, holdNext, oneVisit } from "../../support/browser/console-visit.ts";
import { nightly } from "../../support/many-or-few.ts";
import { shared } from "../../support/shared.ts";

const site = shared(() => ConsoleSite.open({ count: 0 }));
const { go, expectProblems } = oneVisit(site, operators.cleo[0]);
const dayMs = 24 * 60 * 60_000;

/** One for each of the twenty. */
const nameOf = (n: number) =>
  `${["Ana", "Ben", "Cleo", "Dario", "Eva"][n % 5]} ${["Novak", "Berg", "Okafor", "Souza"][n % 4]}`;

const applied = shared(async () => {
  const references: string[] = [];
  for (let n = 0; n < 20; n += 1) {
    // Two openings have one title.
    const opening = ["lisbon", "voices", "porto", "voices"][n % 4]!;
    const given = { name: nameOf(n), position: n % 2 ? "Engineer" : "Annotator", opening, accent: "Moravian" };
    const { reference } = await accept(
      site().store,
      application(n, { ...given, language: "en", receivedAt: Date.now() - n * 60_000 }),
    );
    references.push(reference!);
  }
  const answer = {
    id: null,
    kind: "application",
    title: "Kind no",
    text: "Thank you, {name}. We chose another person.",
    language: null,
  } as const;
  await site().store.replies.changeSavedAnswer(wholeScope, answer, { operator: operators.cleo[0], at: Date.now() });
  await site().store.suppress({ email: application(19).email, reason: "bounced", at: Date.now() });
  return references;
});

const isFocused = (one: Element) => one.matches(":focus");

const stageOf = async (reference: string) => (await site().detail(reference)).submission.stage;

nightly("twenty applications are read, moved on, and twelve declined with words in two days, by keyboard", async () => {
  const references = applied();
  const page = await go("?kind=application");
  const tabs = page.getByRole("navigation", { name: "By stage" });
  await expect.poll(() => tabs.getByRole("link", { name: /^Received/ }).innerText()).toMatch(/20/);
  await page.getByRole("heading", { name: /^Received/ }).waitFor();
  const row = page.locator(".row").first();
  await expect.poll(() => row.innerText()).toMatch(/Engineer[\s\S]*Moravian[\s\S]*From May/);
  // Read, and moved on.
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  const newest = references.at(-1)!;
  await page.getByRole("heading", { name: nameOf(19), level: 1 }).waitFor();
  for (const [at, stage] of (["Screening", "Interview", "Offer"] as const).entries()) {
    await page.getByRole("heading", { name: nameOf(19 - at), level: 1 }).waitFor();
    const select = page.getByRole("combobox", { name: "Stage" });
    if (stage === "Interview") {
      // Down the list: each stage on the way is one. The second key does not wait until the page shows the first stage.
      await select.focus();
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("ArrowDown");
      expect(await select.inputValue()).toBe("interview");
    } else {
      await page.keyboard.press("s");
      const dialog = page.getByRole("dialog");
      for (let presses = stages.indexOf(stage === "Offer" ? "offer" : "screening"); presses > 0; presses -= 1)
        await page.keyboard.press("Tab");
      await expect.poll(() => dialog.getByRole("button", { name: stage }).evaluate(isFocused)).toBe(true);
      await page.keyboard.press("Enter");
    }
    await expect.poll(() => stageOf(references.at(-1 - at)!)).toBe(stage.toLowerCase());
    await expect.poll(() => select.inputValue()).toBe(stage.toLowerCase());
    await expect.poll(() => page.getByRole("combobox", { name: "Status" }).inputValue()).toBe("open");
    // Within a list that can be chosen from, a letter is looked for in it.
    if (at === 1) await page.getByRole("button", { name: "Next", exact: true }).focus();
    if (at < 2) await page.keyboard.press(at === 1 ? "Enter" : "j");
  }
  expect(await stageOf(newest)).toBe("screening");
  // Those of one opening.
  await page.keyboard.press("Escape");
  await page.getByRole("heading", { name: /^Offer/ }).waitFor();
  await page.getByRole("button", { name: "More", exact: true }).focus();
  await page.keyboard.press("Enter");
  const openings = page.getByRole("combobox", { name: "Opening" });
  await expect.poll(() => openings.locator("option").allInnerTexts()).toContain("Annotator (porto) (5)");
  await openings.focus();
  await page.keyboard.type("Annotator (porto");
  await page.keyboard.press("Escape");
  await page.waitForURL(/opening=porto/);
  await expect.poll(() => page.locator(".row").count()).toBe(5);
  await page.getByRole("list", { name: "Filter" }).getByRole("link", { name: "opening: Annotator (porto)" }).focus();
  await page.keyboard.press("Enter");
  await expect.poll(() => page.locator(".row").count()).toBe(20);
  // Twelve are selected and declined.
  const first = page.locator(`[data-reference="${references[11]}"]`);
  await first.focus();
  await page.keyboard.press("x");
  await page.locator(`[data-reference="${references[0]}"]`).focus();
  await page.keyboard.press("Shift+x");
  await page.getByText("12 selected").waitFor();
  await page.getByRole("button", { name: "Decline selected" }).focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Decline 12 submissions" });
  await dialog.getByText("Without words nothing is sent.").waitFor();
  await page.keyboard.type("Not enough seats");
  await dialog.getByRole("combobox", { name: "Saved answer" }).selectOption("Kind no");
  await dialog.getByText(`Thank you, ${nameOf(3)}. We chose another person.`).waitFor();
  expect(await findingsIn(page)).toEqual([]);
  await dialog.getByRole("radio", { name: "In 2 days" }).focus();
  await dialog.getByRole("button", { name: "Decline", exact: true }).focus();
  const before = Date.now();
  await page.keyboard.press("Enter");
  await page.getByText(/^Declined 12\. 12 mails will go out on/).waitFor();
  for (const reference of references.slice(0, 12)) {
    const { submission, replies, mails } = await site().detail(reference);
    expect(submission).toMatchObject({ stage: "declined", status: "done", declineReason: "Not enough seats" });
    expect(replies).toMatchObject([{ text: `Thank you, ${submission.name}. We chose another person.` }]);
    const [mail] = mails.filter(({ kind }) => kind === "application-reply");
    expect(mail).toMatchObject({ status: "queued" });
    expect(mail!.dueAt! - before).toBeGreaterThan(2 * dayMs - 1);
  }
  await expect.poll(() => tabs.getByRole("link", { name: /^Declined/ }).innerText()).toMatch(/12/);
});

test("a decline says that nothing is sent to a suppressed address, is undone, and its mail is cancelled", async () => {
  const references = applied();
  const [suppressed, open] = [references[19]!, references[18]!];
  const page = await go(`/applications/${suppressed}?kind=application`);
  await page.getByRole("button", { name: "Decline", exact: true }).first().click();
  const dialog = page.getByRole("dialog", { name: "Decline" });
  await dialog.getByText(`Nothing is sent to ${nameOf(19)}: Mail to this address bounced`).waitFor();
  await page.keyboard.press("Escape");
  await go(`/applications/${open}?kind=application`);
  await page.getByRole("heading", { name: nameOf(18), level: 1 }).waitFor();
  const before = (await site().detail(open)).submission;
  await page.keyboard.press("d");
  await dialog.getByRole("combobox", { name: "Reason" }).fill("Too far");
  await dialog.getByRole("combobox", { name: "Saved answer" }).selectOption("Kind no");
  await expect
    .poll(() => dialog.getByRole("textbox", { name: "Message" }).inputValue())
    .toContain(`Thank you, ${nameOf(18)}.`);
  // It replaces what one put in, and nothing that was typed.
  await dialog.getByRole("textbox", { name: "Message" }).fill("My own words.");
  await dialog.getByRole("combobox", { name: "Saved answer" }).selectOption("Kind no");
  await expect
    .poll(() => dialog.getByRole("textbox", { name: "Message" }).inputValue())
    .toMatch(/^My own words\.[^]*Thank you/);
  await page.keyboard.press("Escape");
  await page.keyboard.press("d");
  await expect.poll(() => dialog.getByRole("textbox", { name: "Message" }).inputValue()).toMatch(/^My own words\./);
  await dialog.getByRole("button", { name: "Decline", exact: true }).click();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("Undone.").waitFor();
  expect((await site().detail(open)).replies).toEqual([]);
  expect((await site().detail(open)).submission).toMatchObject({ stage: before.stage, status: before.status });
  await page.getByRole("button", { name: "Decline", exact: true }).first().click();
  await expect.poll(() => dialog.getByRole("textbox", { name: "Message" }).inputValue()).toMatch(/^My own words\./);
  expectProblems(/status of 400/);
  await dialog.getByRole("textbox", { name: "Message" }).fill("We are sorry, {nope}.");
  await dialog.getByRole("button", { name: "Decline", exact: true }).click();
  await dialog.getByText("There is no placeholder {nope}.").waitFor();
  await dialog.getByRole("textbox", { name: "Message" }).fill("We are sorry.");
  await dialog.getByRole("radio", { name: "In 7 days" }).check();
  await dialog.getByRole("button", { name: "Decline", exact: true }).click();
  const timeline = page.getByRole("region", { name: "Timeline" });
  await timeline.getByText(/Goes out on/).waitFor();
  await timeline.getByRole("button", { name: "Cancel mail" }).click();
  await page.getByText("The mail is cancelled.").waitFor();
  expect((await site().detail(open)).replies).toEqual([]);
  expect(await stageOf(open)).toBe("declined");
});

test("what the server told before a change does not take the change off the page", async () => {
  const reference = applied()[14]!;
  const page = await go(`/applications/${reference}?kind=application`);
  const select = page.getByRole("combobox", { name: "Stage" });
  await select.waitFor();
  const before = await holdNext(page, "**/submission.get*");
  await select.selectOption("screening");
  await before.answered;
  const change = await holdNext(page, "**/inbox.triage*");
  await select.selectOption("interview");
  await change.answered;
  await before.release();
  const after = await holdNext(page, "**/submission.get*");
  await change.release();
  await after.answered;
  expect(await select.inputValue()).toBe("interview");
  await after.release();
  expect(await stageOf(reference)).toBe("interview");
});

nightly("two operators at once: the second is told of the stage, and overwrites nothing", async () => {
  const reference = applied()[15]!;
  const page = await go(`/applications/${reference}?kind=application`);
  await page.getByRole("combobox", { name: "Stage" }).waitFor();
  expectProblems();
  const { version } = (await site().detail(reference)).submission;
  const actor = { operator: operators.eva[0], at: Date.now() };
  await site().store.desk.triage(wholeScope, { targets: [{ reference, version }], stage: "interview" }, actor);
  await page.getByRole("combobox", { name: "Stage" }).selectOption("hired");
  await page.getByText(/moved this to interview.*Your change was not made\./).waitFor();
  expect(await stageOf(reference)).toBe("interview");

  // The dialog covers the page: it says itself that the stage changed, and keeps what was written in it.
  await page.keyboard.press("d");
  const dialog = page.getByRole("dialog", { name: "Decline" });
  await dialog.getByRole("textbox", { name: "Message" }).fill("We are sorry.");
  const now = (await site().detail(reference)).submission;
  await site().store.desk.triage(
    wholeScope,
    { targets: [{ reference, version: now.version }], stage: "offer" },
    { ...actor, at: Date.now() },
  );
  await page.evaluate(() => dispatchEvent(new Event("focus")));
  await page.locator("article select[title^=Stage]").evaluate(
    (select) =>
      new Promise<void>((resolve) => {
        const look = () => ((select as HTMLSelectElement).value === "offer" ? resolve() : requestAnimationFrame(look));
        look();
      }),
  );
  await dialog.getByRole("button", { name: "Decline", exact: true }).click();
  await dialog.getByText(/moved this to offer.*Your change was not made\./).waitFor();
  expect(await stageOf(reference)).toBe("offer");
  await dialog.getByRole("button", { name: "Decline", exact: true }).click();
  await expect.poll(() => stageOf(reference)).toBe("declined");
  expect((await site().detail(reference)).replies).toMatchObject([{ text: "We are sorry." }]);
});
