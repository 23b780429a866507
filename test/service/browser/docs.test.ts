// The reader of the API document in a real browser, with requests that reach the service.
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Locator, Page } from "playwright-core";
import { beforeAll, expect } from "vitest";
import { webhookEvents } from "../../../shared/src/console.ts";
import { openBrowser, Visit } from "../../support/browser.ts";
import { atNight, nightly } from "../../support/many-or-few.ts";
import { openFolder } from "../../support/folder.ts";
import { startService } from "../../support/service.ts";
import { shared } from "../../support/shared.ts";
import { hasNoSeriousBarrier, resume } from "../../support/browser/people.ts";

const service = shared(() => startService());

/** A violation of the policy is an error in the console, which fails the visit. */
const visit = shared(async () => Visit.begin(await openBrowser()));
/** Of all that the reader loads. */
const origins = new Set<string>();

beforeAll(async () => {
  const { page } = visit();
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.protocol !== "data:") origins.add(url.origin);
  });
  await page.goto(`${service().url}/docs`);
  await page.locator(".opblock").first().waitFor();
});

const openOperation = (page: Page, address: string) => page.locator(".opblock.is-open").filter({ hasText: address });

const samples = (block: Locator) => block.locator(".request-snippets pre").first();

async function showSample(block: Locator, name: string): Promise<string> {
  await block.locator(".request-snippets").getByRole("button", { name, exact: true }).click();
  return samples(block).innerText();
}

/** Runs a command in a shell, and returns what it writes. */
const run = async (command: string, folder: string): Promise<string> =>
  (await promisify(execFile)("sh", ["-c", command], { cwd: folder })).stdout;

nightly(
  "the reader loads everything from this service, has no serious barrier, opens an operation, and folds refusals",
  async () => {
    const { page } = visit();
    // Three submissions, two of health, and what webhooks send.
    await expect.poll(() => page.locator(".opblock").count()).toBe(5 + webhookEvents.length + 1);
    expect([...origins]).toEqual([service().url]);
    if (atNight) await hasNoSeriousBarrier(page);

    await page.getByRole("navigation", { name: "Operations" }).getByRole("link", { name: "Subscribe" }).click();
    const operation = openOperation(page, "/api/newsletter/subscribe");
    const folded = operation.getByRole("button", { name: "crossSiteForbidden" });
    await expect.poll(() => folded.getAttribute("aria-expanded")).toBe("false");
    await expect.poll(() => operation.getByText('"FORBIDDEN"').count()).toBe(0);
    await folded.press("Enter");
    await expect.poll(() => folded.getAttribute("aria-expanded")).toBe("true");
    await operation.getByText('"FORBIDDEN"').waitFor();
  },
);

nightly("an inquiry's curl command stores what was typed once under its key, like the reader", async () => {
  const { page } = visit();
  await page.getByRole("link", { name: "Ask about dataset packages" }).click();
  const operation = openOperation(page, "/api/marketplace/inquiry");
  const inquiry = { name: `Ann; @x <y 'z' "q" \\ $HOME`, email: "curl@example.org", selectedPackageIds: ["de-AT"] };
  await operation.getByPlaceholder("Idempotency-Key").fill("it's curl");
  const example = operation.getByRole("textbox", { name: "Example" });
  expect(await example.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)).toBe(0);
  await example.fill(JSON.stringify(inquiry));
  const answered = page.waitForResponse("**/api/marketplace/inquiry");
  await operation.getByRole("button", { name: "Execute" }).click();
  const receipt = (await (await answered).json()) as { inquiryId: string };

  const answer = await run(`${await showSample(operation, "curl")} --silent --fail-with-body`, tmpdir());
  expect(JSON.parse(answer)).toMatchObject({ inquiryId: receipt.inquiryId });
  const stored = (await service().stored()).inquiries.filter(({ email }) => email === inquiry.email);
  expect(stored).toMatchObject([inquiry]);

  await operation.getByPlaceholder("Idempotency-Key").fill("docs-1");
  const before = (await service().stored()).inquiries.length;
  for (const replayed of [null, "true"]) {
    const repeated = page.waitForResponse("**/api/marketplace/inquiry");
    await operation.getByRole("button", { name: "Execute" }).click();
    expect(await (await repeated).headerValue("idempotency-replayed")).toBe(replayed);
  }
  expect((await service().stored()).inquiries).toHaveLength(before + 1);
  expect(await showSample(operation, "fetch")).toContain('"idempotency-key":"docs-1"');
  expect(await showSample(operation, "SDK")).toContain('{ idempotencyKey: "docs-1" }');
  expect(await showSample(operation, "tRPC")).toContain('"idempotency-key": "docs-1"');
});

nightly("an application is sent with its resume and shown as curl, fetch, SDK and tRPC", async () => {
  const { page } = visit();
  await page.getByRole("link", { name: "Apply for a job" }).click();
  const operation = openOperation(page, "/api/applications/submit");
  await operation.locator("input[type=file]").setInputFiles(resume);
  const answered = page.waitForResponse("**/api/applications/submit");
  await operation.getByRole("button", { name: "Execute" }).click();
  expect((await answered).status()).toBe(200);
  const stored = (await service().stored()).applications.at(-1);
  expect(stored).toMatchObject({ name: "Ana Souza", resume: { filename: resume.name } });
  await page.getByText(stored!.reference).first().waitFor();

  await expect.poll(() => samples(operation).innerText()).toContain(`-F 'resumeFile=@"${resume.name}"'`);
  expect(await showSample(operation, "fetch")).toContain('form.append("resumeFile", fileInput.files[0]);');
  const sdk = await showSample(operation, "SDK");
  expect(sdk).toContain(`createSubmissionsClient({ url: "${service().url}" })`);
  expect(sdk).toContain("await submissions.applications.submit({");
  expect(await showSample(operation, "tRPC")).toContain("await client.applications.submit.mutate(form);");
});

nightly("the curl command of an application stores the same as the reader, whatever is typed", async () => {
  await using folder = await openFolder();
  const file = { ...resume, name: `Ana's "CV", 2; new.pdf` };
  await writeFile(join(folder.path, file.name), file.buffer);
  const operation = openOperation(visit().page, "/api/applications/submit");
  const typed = {
    availability: `now; 20 h "a" 'week'`,
    accent: "<accent",
    company: "@company",
    phone: "+49 30 901820",
  };
  for (const [name, text] of Object.entries(typed))
    await operation.locator(`[data-property-name=${name}]`).getByRole("textbox").fill(text);
  await operation.locator("input[type=file]").setInputFiles(file);
  const again = visit().page.waitForResponse("**/api/applications/submit");
  await operation.getByRole("button", { name: "Execute" }).click();
  expect((await again).status()).toBe(200);

  const answer = await run(`${await showSample(operation, "curl")} --silent --fail-with-body`, folder.path);
  const [first, second] = (await service().stored()).applications.slice(-2);
  expect(JSON.parse(answer)).toMatchObject({ applicationId: second?.reference });
  expect(second).toMatchObject(typed);
  const contentOf = ({ name, email, position, coverLetter, resume: kept }: typeof first & object) => {
    const { filename, size, sha256 } = kept!;
    return { name, email, position, coverLetter, filename, size, sha256 };
  };
  expect(contentOf(second!)).toEqual(contentOf(first!));
});
