// The site in a browser without script: everything works, and no text has to be typed twice.
import { writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Locator, Page } from "playwright-core";
import { expect, test, vi } from "vitest";
import { systemClock } from "../../../server/src/clock.ts";
import { welcomed } from "../../support/newsletter/reader.ts";
import { openBrowser, plainHost, Visit } from "../../support/browser.ts";
import { openFolder } from "../../support/folder.ts";
import { freePort } from "../../support/free-port.ts";
import { nightly } from "../../support/many-or-few.ts";
import { PostmarkStandIn } from "../../support/postmark-stand-in.ts";
import { startService, type Service } from "../../support/service.ts";
import { shared } from "../../support/shared.ts";
import { fillApplication, fillInquiry, pdfOf, resume } from "../../support/browser/people.ts";

const browser = shared(openBrowser);
const service = shared(() => startService());

async function visitWithoutScript(path = "/", one: Service = service()): Promise<Visit> {
  const visit = await Visit.begin(browser(), { javaScriptEnabled: false });
  await visit.page.goto(one.url + path);
  return visit;
}

const refusedWith = (status: number) => new RegExp(`responded with a status of ${status}`);

const refusedForm = (page: Page) => page.locator(".plain-form");

/** The site's own forms are in English; a page in German embeds forms that have this field. */
const setLanguage = (form: Locator, language: string) =>
  form.locator("form").evaluate((shown, value) => {
    shown.append(Object.assign(document.createElement("input"), { type: "hidden", name: "lang", value }));
  }, language);

const referenceOn = async (page: Page): Promise<string> =>
  (await page.locator(".reference strong").textContent()) ?? "";

test("an inquiry that begins at a card of the catalogue ends with its reference", async () => {
  await using visit = await visitWithoutScript();
  const { page } = visit;
  await page.getByRole("link", { name: /Ask about it.*Austrian German/ }).click();
  await page.waitForURL("**/?package=de-AT#inquiry");
  const form = page.locator("inquiry-form");
  await expect.poll(() => form.getByRole("checkbox", { name: "Austrian German" }).isChecked()).toBe(true);
  await form.getByLabel("Your name").fill("Ann Buyer");
  await form.getByLabel("E-mail address").fill("card@example.org");
  await form.getByRole("button", { name: "Send inquiry" }).click();

  await page.getByRole("heading", { name: "Your inquiry has been sent" }).waitFor();
  const stored = (await service().stored()).inquiries.filter(({ email }) => email === "card@example.org");
  expect(stored).toMatchObject([{ selectedPackageIds: ["de-AT"] }]);
  expect(await referenceOn(page)).toBe(stored[0]!.reference);
});

nightly("a reference stands on one line of a small page", async () => {
  await using visit = await visitWithoutScript("/thanks?kind=application&reference=APP-20261122-284135");
  const { page } = visit;
  for (const width of [320, 360]) {
    await page.setViewportSize({ width, height: 600 });
    const lines = await page
      .locator(".reference strong")
      .evaluate((one) => one.clientHeight / Number.parseFloat(getComputedStyle(one).lineHeight));
    expect(Math.round(lines)).toBe(1);
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  }
});

test("a mistake is shown with the form as it was, and once mended it is sent once", async () => {
  await using visit = await visitWithoutScript();
  visit.expectProblems(refusedWith(400));
  const { page } = visit;
  const form = page.locator("inquiry-form");
  await fillInquiry(form, "ann@localhost");
  await form.getByRole("checkbox").nth(2).check();
  await form.getByLabel("Company").fill('Buyers & "Sons"');
  await form.getByRole("button", { name: "Send inquiry" }).click();

  await page.getByRole("heading", { name: "Your inquiry has not been sent yet" }).waitFor();
  await expect.poll(() => page.title()).toContain("not been sent");
  const refused = refusedForm(page);
  const problems = refused.getByRole("group", { name: "There is 1 thing to fix" });
  const email = refused.getByLabel("E-mail address");
  await expect.poll(() => email.getAttribute("aria-invalid")).toBe("true");
  await expect.poll(() => email.inputValue()).toBe("ann@localhost");
  await expect.poll(() => refused.getByLabel("Company").inputValue()).toBe('Buyers & "Sons"');
  await expect.poll(() => refused.getByRole("checkbox", { checked: true }).count()).toBe(2);
  // The rules of the shadow roots hold here too.
  await expect.poll(() => email.evaluate((input) => getComputedStyle(input).borderRadius)).toBe("8px");

  await problems.getByRole("link", { name: "Enter one e-mail address" }).click();
  await page.waitForURL(/#email$/);
  await expect.poll(() => email.evaluate((input) => input.matches(":focus"))).toBe(true);
  await email.fill("mended@example.org");
  await refused.getByRole("button", { name: "Send inquiry" }).click();
  await page.getByRole("heading", { name: "Your inquiry has been sent" }).waitFor();
  const { inquiries } = await service().stored();
  expect(inquiries.filter(({ company }) => company === 'Buyers & "Sons"')).toMatchObject([
    { email: "mended@example.org", selectedPackageIds: expect.objectContaining({ length: 2 }) },
  ]);
});

test("a resume that is too large is reported at its field, and the letter behind it is kept", async () => {
  await using visit = await visitWithoutScript();
  visit.expectProblems(refusedWith(413));
  const { page } = visit;
  const before = (await service().stored()).applications.length;
  const form = page.locator("application-form");
  await fillApplication(form);
  await form.getByLabel("Cover letter").fill("Dear all,\n\n<b>here</b> I am.");
  // By its path: bytes would go to the browser as text, which takes long for so many.
  await using folder = await openFolder();
  const file = join(folder.path, "large.pdf");
  await writeFile(file, pdfOf(7 * 1024 * 1024).buffer);
  await form.locator("input[type=file]").setInputFiles(file);
  await form.getByRole("button", { name: "Send application" }).click();

  await page.getByRole("heading", { name: "Your application has not been sent yet" }).waitFor();
  const refused = refusedForm(page);
  await expect.poll(() => refused.locator("#resumeFile-error").innerText()).toContain("larger than 5 MiB");
  await expect.poll(() => refused.locator("#resumeFile-error").innerText()).toContain("Please choose another file.");
  await expect.poll(() => refused.getByLabel("Cover letter").inputValue()).toBe("Dear all,\n\n<b>here</b> I am.");
  expect((await service().stored()).applications).toHaveLength(before);

  await refused.locator("input[type=file]").setInputFiles(resume);
  await refused.getByRole("button", { name: "Send application" }).click();
  await page.getByRole("heading", { name: "Your application has been sent" }).waitFor();
  expect((await service().stored()).applications.slice(before)).toMatchObject([{ resume: { filename: resume.name } }]);
});

test("going back and sending again is one submission, with one reference", async () => {
  await using visit = await visitWithoutScript();
  const { page } = visit;
  const form = page.locator("inquiry-form");
  const send = async () => {
    await fillInquiry(form, "back@example.org");
    await form.getByRole("button", { name: "Send inquiry" }).click();
    await page.waitForURL("**/thanks?**");
    return referenceOn(page);
  };
  const first = await send();
  // The page is the browser's own copy, with the key that it had.
  await page.goBack();
  expect(await send()).toBe(first);
  const { inquiries } = await service().stored();
  expect(inquiries.filter(({ email }) => email === "back@example.org")).toHaveLength(1);
});

// A file that stays where it was chosen, as people's files do.
const resumeOnDisk = fileURLToPath(
  new URL("../../fixtures/documents/files/format-corpus__lorem-ipsum.pdf", import.meta.url),
);

nightly("who was asked to wait reloads the page, and the form is sent as it was, file and all", async () => {
  await using limited = await startService({ env: { RATE_LIMIT_MAX: "1", RATE_LIMIT_WINDOW_SECONDS: "3600" } });
  await using visit = await visitWithoutScript("/", limited);
  visit.expectProblems(refusedWith(429));
  const { page } = visit;
  const form = page.locator("application-form");
  await fillApplication(form);
  await form.locator("input[type=file]").setInputFiles(resumeOnDisk);
  // Takes the one submission of the window just before the form is sent.
  await page.route("**/api/applications/submit", async (route) => {
    await fetch(`${limited.url}/api/newsletter/subscribe`, { method: "POST" });
    await route.continue();
  });
  await form.getByRole("button", { name: "Send application" }).click();
  await page.getByText("reload this page").waitFor();
  expect((await limited.stored()).applications).toEqual([]);
  await page.unroute("**/api/applications/submit");
  using _hourLater = vi.spyOn(systemClock, "elapsed").mockImplementation(() => performance.now() + 3_600_000);
  await reloadUntilThanked(page);
  expect((await limited.stored()).applications).toMatchObject([{ resume: { filename: basename(resumeOnDisk) } }]);
});

nightly("a German form that is sent twice at once is stored once, and a reload shows its reference", async () => {
  await using postmark = await PostmarkStandIn.open();
  // A submission is answered once its mails were handed over, or after this time.
  const { promise: mailsMayGo, resolve: letMailsGo } = Promise.withResolvers<void>();
  postmark.gate = mailsMayGo;
  await using slow = await startService({ env: { ...postmark.env, MAIL_DEADLINE_MS: "15000" } });
  await using visit = await visitWithoutScript("/", slow);
  visit.expectProblems(refusedWith(409));
  const { page } = visit;
  const form = page.locator("inquiry-form");
  await fillInquiry(form);
  await setLanguage(form, "de");
  const button = form.getByRole("button", { name: "Send inquiry" });
  await button.scrollIntoViewIfNeeded();
  const { x, y } = (await button.boundingBox())!;
  // A click by the mouse does not wait for the next page.
  const press = () => page.mouse.click(x + 5, y + 5);
  await press();
  await expect.poll(() => postmark.open).toBeGreaterThan(0);
  await press();

  await page.getByRole("heading", { name: "Ihr Formular wird bearbeitet" }).waitFor();
  await expect.poll(() => page.locator("html").getAttribute("lang")).toBe("de");
  await expect.poll(() => page.getByRole("link", { name: "Zur Startseite" }).getAttribute("href")).toBe("../../");
  await expect.poll(() => page.locator("form").count()).toBe(0);
  const { inquiries } = await slow.stored();
  expect(inquiries).toHaveLength(1);

  letMailsGo();
  await reloadUntilThanked(page);
  expect(await referenceOn(page)).toBe(inquiries[0]!.reference);
  expect((await slow.stored()).inquiries).toEqual(inquiries);
  expect(postmark.taken).toHaveLength(2);
});

nightly("over plain HTTP, where browsers name no site, a reader confirms and unsubscribes", async () => {
  const port = String(await freePort());
  const url = `http://${plainHost}:${port}`;
  await using plain = await startService({ env: { PORT: port, PUBLIC_URL: url } });
  const { confirm, unsubscribe } = await welcomed(plain, "plain@example.org");
  await using visit = await Visit.begin(browser(), { javaScriptEnabled: false });
  const { page } = visit;
  for (const [link, button, done] of [
    [confirm!, "Confirm subscription", "You are subscribed"],
    [unsubscribe, "Unsubscribe", "You are unsubscribed"],
  ] as const) {
    await page.goto(link);
    const [posted] = await Promise.all([
      page.waitForRequest((request) => request.method() === "POST"),
      page.getByRole("button", { name: button }).click(),
    ]);
    await page.getByRole("heading", { name: done }).waitFor();
    const { "sec-fetch-site": site, referer } = await posted.allHeaders();
    expect([site, referer]).toEqual([undefined, `${url}/`]);
  }
});

const proving = shared(() => startService({ env: { ALTCHA_HMAC_KEY: "k".repeat(64), ALTCHA_COST: "100" } }));

nightly(
  "where work is to be proved, a German form that was sent before its script came is sent by the page of its refusal",
  async () => {
    await using visit = await Visit.begin(browser());
    visit.expectProblems(/net::ERR_FAILED.*forms.js/, refusedWith(400));
    const { page } = visit;
    await page.route("**/forms.js*", (route) => route.abort());
    await page.goto(proving().url);
    const form = page.locator("application-form");
    await fillApplication(form);
    await form.getByLabel("Cover letter").fill("Dear all,\n\nhere I am.");
    await setLanguage(form, "de");
    await page.unroute("**/forms.js*");
    await form.getByRole("button", { name: "Send application" }).click();

    await page.getByRole("heading", { name: "Bewerbung senden" }).waitFor();
    await form.getByRole("heading", { name: "Wir konnten nicht prüfen, ob Sie ein Mensch sind." }).waitFor();
    await expect.poll(() => form.getByLabel("Anschreiben").inputValue()).toBe("Dear all,\n\nhere I am.");
    await page.waitForFunction(() => customElements.get("application-form"));
    await form.getByRole("button", { name: "Bewerbung senden" }).click();
    const receipt = form.locator(".receipt");
    await receipt.waitFor();
    const { applications } = await proving().stored();
    expect(applications).toMatchObject([{ language: "de", coverLetter: "Dear all,\n\nhere I am." }]);
    await expect.poll(() => receipt.innerText()).toContain(applications[0]!.reference);
  },
);

/** Reloads a page that answered a form: the browser sends the form again, until it is accepted. */
async function reloadUntilThanked(page: Page): Promise<void> {
  await expect
    .poll(async () => {
      await page.reload();
      return new URL(page.url()).pathname;
    })
    .toBe("/thanks");
}
