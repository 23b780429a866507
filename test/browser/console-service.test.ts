// The console in a browser against the real service: cookie, policy and downloads as browsers take them.
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { onePagePdf } from "../../server/src/seed/one-page-pdf.ts";
import { auditOf, invite, password, resumeBytes, submitAll } from "../console/operator.ts";
import { openBrowser, Visit } from "../support/browser.ts";
import { shared } from "../support/shared.ts";
import { startService } from "../support/service.ts";

const browser = shared(() => openBrowser());

test("from the invitation to a resume, signed out and in again, and by the link of a mail", async () => {
  await using service = await startService();
  const { inquiry, application } = await submitAll(service);
  const token = await invite(service, "admin@example.org", "admin");
  await using visit = await Visit.begin(browser);
  const { page, context } = visit;
  await page.goto(`${service.url}/console/invitation?token=${token}`);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.locator("button[type=submit]").click();
  await page.getByText("Ann Buyer").first().waitFor();
  const [cookie, ...others] = await context.cookies();
  expect(cookie).toMatchObject({ name: "console-session", path: "/console", httpOnly: true, sameSite: "Strict" });
  expect(others).toEqual([]);

  await page.goto(`${service.url}/console/applications/${application}`);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Download resume" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("Ann Buyer CV.pdf");
  expect(await readFile(await download.path(), "utf8")).toBe(resumeBytes);

  // A page of another site has the browser open the link of a notice: the first request brings no cookie.
  await page.goto(`data:text/html,<a href="${service.url}/console/inquiries/${inquiry}">the inquiry</a>`);
  await page.getByText("the inquiry").click();
  await page.getByRole("heading", { name: "Ann Buyer" }).waitFor();

  await page.getByRole("button", { name: "Sign out", exact: true }).click();
  await page.getByLabel("E-mail address").fill("admin@example.org");
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByText("Ann Buyer").first().waitFor();
  const actions = (await auditOf(service)).map(({ action }) => action);
  expect(actions).toEqual(["operator.invite", "operator.accept", "sign-in", "resume.download", "sign-out", "sign-in"]);
});

test("a PDF is drawn in a frame without an origin, and its view is recorded", async () => {
  await using service = await startService();
  const { application } = await submitAll(service, "ann@example.org", onePagePdf("Ann Buyer: curriculum vitae"));
  const token = await invite(service, "rita@example.org", "recruiting");
  await using visit = await Visit.begin(browser);
  const { page } = visit;
  await page.goto(`${service.url}/console/invitation?token=${token}`);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.locator("button[type=submit]").click();
  await page.getByText("Ann Buyer").first().waitFor();
  await page.goto(`${service.url}/console/applications/${application}`);
  await page.getByRole("button", { name: "Show resume" }).click();
  const frame = page.frameLocator("iframe");
  await frame.getByRole("img", { name: "Page 1: Ann Buyer: curriculum vitae" }).waitFor();
  expect(await frame.locator("body").evaluate(() => origin)).toBe("null");
  expect((await auditOf(service)).at(-1)).toMatchObject({ action: "resume.view", subject: application });
});

test("what the inbox shows is saved as a file, and the page stays", async () => {
  await using service = await startService();
  const { inquiry } = await submitAll(service, "ann@example.org");
  const token = await invite(service, "anna@example.org", "sales");
  await using visit = await Visit.begin(browser);
  const { page } = visit;
  await page.goto(`${service.url}/console/invitation?token=${token}`);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.locator("button[type=submit]").click();
  await page.getByText("Ann Buyer").first().waitFor();
  await page.goto(`${service.url}/console/?status=new`);
  await page.getByRole("button", { name: "More" }).click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "NDJSON of inquiries shown here" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("inquiries.ndjson");
  expect(JSON.parse(await readFile(await download.path(), "utf8"))).toMatchObject({ inquiryId: inquiry });
  expect(new URL(page.url()).search).toBe("?status=new");
});
