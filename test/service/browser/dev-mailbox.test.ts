// The mailbox of `npm run dev`, a page of what was mailed by a real service.
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { expect, test } from "vitest";
import { serveMailbox } from "../../../server/dev/mailbox.ts";
import { compileMails } from "../../../server/src/mail/compose.ts";
import { openBrowser, Visit } from "../../support/browser.ts";
import { buyer, json, rest } from "../../support/doors.ts";
import { inquiry, settings } from "../../support/mail/examples.ts";
import { shared } from "../../support/shared.ts";
import { startService } from "../../support/service.ts";
import { nightly } from "../../support/many-or-few.ts";

const browser = shared(() => openBrowser());

const service = shared(() => startService());
const mailbox = shared(() => serveMailbox(join(service().dataFolder, "mailbox"), 0));

test("says when there is no mail; then lists mails, shows each as HTML, as text and with its headers, and fits a phone", async () => {
  expect(await (await fetch(mailbox().address)).text()).toContain("No mails yet.");
  const hostile = { ...buyer, company: "<script>document.title = 'run'</script>" };
  await rest.send(service(), "marketplace.inquiry", json(hostile));
  await expect.poll(async () => (await service().mails()).length).toBe(2);
  await using visit = await Visit.begin(browser(), { viewport: { width: 360, height: 740 } });
  const { page } = visit;
  await page.goto(mailbox().address);
  const shown = page.locator("details", { hasText: "New inquiry from Ann Buyer" });
  await expect.poll(() => page.locator("details").count()).toBe(2);
  await shown.locator("summary").click();
  const notice = shown.frameLocator("iframe");
  await notice.getByRole("heading", { name: "New inquiry" }).waitFor();
  await expect.poll(() => notice.getByText(hostile.company).isVisible()).toBe(true);
  const [text, head] = await shown.locator("pre").allTextContents();
  expect(text).toContain(`Company: ${hostile.company}`);
  expect(head).toContain("Auto-Submitted: auto-generated");
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
});

test("no page may frame it", async () => {
  const policy = (await fetch(mailbox().address)).headers.get("content-security-policy");
  expect(policy).toContain("frame-ancestors 'none'");
  await using visit = await Visit.begin(browser());
  await visit.page.setContent(`<iframe src="${mailbox().address}"></iframe>`);
  await expect.poll(() => visit.page.frames().length).toBe(2);
  await expect.poll(() => visit.page.frames()[1]!.url()).toContain("chrome-error:");
});

test("answers any other address with 404, also one that is no address", async () => {
  for (const path of ["1-none", "/", "../x", "..%2Fsubmissions", "submissions.sqlite"])
    expect((await fetch(mailbox().address + path)).status).toBe(404);
  expect((await fetch(`${mailbox().address}?page=1`)).status).toBe(200);
});

test("answers to names of this machine only, so that no page of another site reads mails", async () => {
  const { port } = new URL(mailbox().address);
  const statusOf = async (host: string) => {
    const request = get({ host: "127.0.0.1", port, headers: { host } });
    const [response] = (await once(request, "response")) as [IncomingMessage];
    response.resume();
    return response.statusCode;
  };
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`]) expect(await statusOf(host)).toBe(200);
  for (const host of [`evil.example:${port}`, "127.0.0.1.evil.example"]) expect(await statusOf(host)).toBe(403);
});

nightly("no word of a mail is wider than a phone", async () => {
  const reply = { author: "Eva", followsReceipt: false, followsAnswer: null, files: [] };
  const text = `See https://example.org/${"x".repeat(200)}`;
  const more = { message: "y".repeat(200) };
  const submission = { ...inquiry, more, email: `${"z".repeat(64)}@${"z.".repeat(90)}example` };
  const compose = compileMails(settings);
  await using visit = await Visit.begin(browser(), { viewport: { width: 360, height: 740 } });
  for (const kind of ["inquiry-reply", "inquiry-receipt", "inquiry-notice"] as const) {
    const written = kind === "inquiry-reply" && { reply: { ...reply, text, quoted: true } };
    await visit.page.setContent(compose({ kind, about: { submission, ...written } }).html);
    expect([kind, await visit.page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([kind, 360]);
  }
});
