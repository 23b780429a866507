// What becomes of what people send with the forms of the service's own page.
import { expect, test } from "vitest";
import { openBrowser } from "../../support/browser.ts";
import { startService } from "../../support/service.ts";
import { shared } from "../../support/shared.ts";
import { fillApplication, fillInquiry, resume, visitFrontPage } from "../../support/browser/people.ts";
import { nightly } from "../../support/many-or-few.ts";

const browser = shared(openBrowser);
const service = shared(() => startService());
const visit = shared(() => visitFrontPage(browser(), service()));
const inquiriesOf = async (address: string) =>
  (await service().stored()).inquiries.filter(({ email }) => email === address);

test("an inquiry that is sent by two clicks is stored once, as it was typed; its reference is shown and has the focus", async () => {
  const form = visit().page.locator("inquiry-form");
  const packages = await form.getByRole("checkbox").count();
  await fillInquiry(form, "sent@example.org");
  await form.getByLabel("Company").fill("  Buyers & Sons ");
  await form.getByRole("button", { name: "Send inquiry" }).dblclick();

  const receipt = form.getByRole("region", { name: "Your inquiry has been sent" });
  await receipt.waitFor();
  const stored = await inquiriesOf("sent@example.org");
  expect(stored).toEqual([expect.objectContaining({ name: "Ann Buyer", company: "Buyers & Sons", status: "new" })]);
  expect(stored[0]!.selectedPackageIds).toHaveLength(1);
  await expect.poll(() => receipt.innerText()).toContain(stored[0]!.reference);
  await expect.poll(() => receipt.evaluate((section) => section.matches(":focus"))).toBe(true);

  // The form is empty again, with the same packages, and the same content is then a second submission.
  await form.getByRole("button", { name: "Send another inquiry" }).click();
  await expect.poll(() => form.getByLabel("Your name").inputValue()).toBe("");
  await expect.poll(() => form.getByRole("checkbox").count()).toBe(packages);
  await expect.poll(() => form.getByRole("checkbox", { checked: true }).count()).toBe(0);
  await fillInquiry(form, "sent@example.org");
  await form.getByLabel("Company").fill("  Buyers & Sons ");
  await form.getByRole("button", { name: "Send inquiry" }).click();
  await form.getByRole("button", { name: "Send another inquiry" }).click();
  expect(await inquiriesOf("sent@example.org")).toHaveLength(2);
});

test("a subscription says where it comes from", async () => {
  const form = visit().page.locator("newsletter-form");
  await form.evaluate((element) => element.setAttribute("source", "Blog Post!"));
  await form.getByLabel("E-mail address").fill("reader@example.org");
  await form.getByLabel("E-mail address").press("Enter");
  const receipt = form.getByRole("region", { name: "Check your inbox" });
  await expect.poll(() => receipt.innerText()).toContain("We sent a link to reader@example.org.");
  expect((await service().stored()).subscribers).toEqual([
    expect.objectContaining({ email: "reader@example.org", source: "blog-post" }),
  ]);
});

test("an application arrives with its resume, and with every field", async () => {
  const form = visit().page.locator("application-form");
  await fillApplication(form);
  const others = {
    Company: "Vozes Lda",
    Telephone: "+351 912 345 678",
    "Accent or variety": "Porto",
    Availability: "From May",
    "Link to your resume": "https://example.org/cv",
    Portfolio: "https://example.org/work",
    "Cover letter": "Dear all,\n\nhello.",
  };
  for (const [label, text] of Object.entries(others)) await form.getByRole("textbox", { name: label }).fill(text);
  await form.locator("input[type=file]").setInputFiles(resume);
  await form.getByText("Ana Souza.pdf").waitFor();
  await form.getByRole("button", { name: "Send application" }).click();
  await form.getByRole("region", { name: "Your application has been sent" }).waitFor();

  const { applications } = await service().stored();
  expect(applications).toHaveLength(1);
  const stored = applications[0]!;
  expect(stored).toMatchObject({
    name: "Ana Souza",
    position: "Accent annotator",
    company: "Vozes Lda",
    phone: "+351 912 345 678",
    accent: "Porto",
    availability: "From May",
    resumeUrl: "https://example.org/cv",
    portfolioUrl: "https://example.org/work",
    coverLetter: "Dear all,\n\nhello.",
    resume: { filename: "Ana Souza.pdf", kind: "pdf", size: resume.buffer.length },
  });
  await expect.poll(() => form.getByText(stored.reference).count()).toBe(1);
});

nightly("a form can be filled in and sent with the keyboard alone", async () => {
  const { page } = visit();
  const form = page.locator("inquiry-form");
  await form.getByRole("checkbox").first().focus();
  await page.keyboard.press("Space");
  const boxes = await form.getByRole("checkbox").count();
  for (let box = 0; box < boxes; box += 1) await page.keyboard.press("Tab");
  await page.keyboard.type("Keyboard Only");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.type("keyboard@example.org");
  await page.keyboard.press("Tab");
  await page.keyboard.type("Typed without a mouse.");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await form.getByRole("region", { name: "Your inquiry has been sent" }).waitFor();
  // From the receipt past the button that copies the reference.
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  expect(
    await form
      .getByRole("checkbox")
      .first()
      .evaluate((box) => box.matches(":focus")),
  ).toBe(true);
  const { inquiries } = await service().stored();
  expect(inquiries.filter(({ name }) => name === "Keyboard Only")).toHaveLength(1);
});

test("the honeypot is no field for people, and a program that fills it in is answered like a person", async () => {
  const form = visit().page.locator("inquiry-form");
  await expect.poll(() => form.getByRole("textbox", { name: "Leave this field empty" }).count()).toBe(0);
  await fillInquiry(form, "program@example.org");
  await form.locator("input[name=website]").evaluate((input) => ((input as HTMLInputElement).value = "https://spam"));
  await form.getByRole("button", { name: "Send inquiry" }).click();
  await form.getByRole("region", { name: "Your inquiry has been sent" }).waitFor();
  expect(await inquiriesOf("program@example.org")).toMatchObject([{ status: "spam" }]);
});

nightly("the page gets an event with the receipt, and may show something else", async () => {
  await using own = await visitFrontPage(browser(), service());
  const { page } = own;
  const form = page.locator("inquiry-form");
  await page.evaluate(() => {
    document.addEventListener("submission-accepted", (event) => {
      event.preventDefault();
      document.title = `${(event.target as Element).localName} ${JSON.stringify(event.detail)}`;
    });
  });
  await fillInquiry(form, "events@example.org");
  await form.getByRole("button", { name: "Send inquiry" }).click();
  await page.waitForFunction(() => document.title.startsWith("inquiry-form"));
  const [stored] = await inquiriesOf("events@example.org");
  const receipt = await page.title();
  expect(JSON.parse(receipt.slice("inquiry-form ".length))).toMatchObject({ inquiryId: stored?.reference });

  // The form is still there, for a second click while the page goes on.
  await page.evaluate(() => (document.title = ""));
  await form.getByRole("button", { name: "Send inquiry" }).click();
  await page.waitForFunction(() => document.title.startsWith("inquiry-form"));
  await expect.poll(() => page.title()).toBe(receipt);
  expect(await inquiriesOf("events@example.org")).toHaveLength(1);
});
