// The resume in a real browser: chosen or dropped, checked before it is sent, uploaded with its progress, removed.
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { bytesMax } from "@submissions/shared/limits";
import type { Locator } from "playwright-core";
import { describe, expect, test } from "vitest";
import { openBrowser } from "../../support/browser.ts";
import { openFolder } from "../../support/folder.ts";
import { nightly } from "../../support/many-or-few.ts";
import { startService } from "../../support/service.ts";
import { shared } from "../../support/shared.ts";
import {
  fillApplication,
  pdfOf,
  resume,
  sendInVain,
  visitFrontPage,
  type ChosenFile,
} from "../../support/browser/people.ts";

const browser = shared(openBrowser);
const service = shared(() => startService());
/** Large files are chosen by their path: through the browser's wire they would take longer than all the rest. */
const folder = shared(openFolder);

const visit = shared(() => visitFrontPage(browser(), service()));

async function fillIn(): Promise<Locator> {
  const form = visit().page.locator("application-form");
  const again = form.getByRole("button", { name: "Send another application" });
  if (await again.isVisible()) await again.click();
  await fillApplication(form);
  return form;
}

async function choose(form: Locator, file: ChosenFile): Promise<void> {
  const path = join(folder().path, file.name);
  await writeFile(path, file.buffer);
  await form.locator("input[type=file]").setInputFiles(path);
}
const send = (form: Locator) => form.getByRole("button", { name: "Send application" }).click();
const accepted = (form: Locator) => form.getByRole("region", { name: "Your application has been sent" }).waitFor();
const problemOf = (form: Locator) => form.locator("#resumeFile-error");
const count = async () => (await service().stored()).applications.length;

async function drop(target: Locator, files: readonly ChosenFile[]): Promise<void> {
  const sent = files.map(({ name, mimeType, buffer }) => ({ name, mimeType, base64: buffer.toString("base64") }));
  const dataTransfer = await target.page().evaluateHandle((dropped) => {
    const transfer = new DataTransfer();
    for (const { name, mimeType, base64 } of dropped) {
      const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
      transfer.items.add(new File([bytes], name, { type: mimeType }));
    }
    return transfer;
  }, sent);
  for (const type of ["dragenter", "dragover", "drop"]) await target.dispatchEvent(type, { dataTransfer });
}

async function slowDown(bytesPerSecond: number) {
  const session = await visit().devtools();
  const limit = (uploadThroughput: number) =>
    session.send("Network.emulateNetworkConditions", {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput,
    });
  await limit(bytesPerSecond);
  const speedUp = async () => void (await limit(-1));
  return Object.assign(speedUp, { [Symbol.asyncDispose]: speedUp });
}

const fixture = (name: string, called: string): ChosenFile => ({
  name: called,
  mimeType: "application/octet-stream",
  buffer: readFileSync(new URL(`../../fixtures/documents/files/${name}`, import.meta.url)),
});

const text = (name: string, content: string): ChosenFile => ({
  name,
  mimeType: "application/pdf",
  buffer: Buffer.from(content),
});

describe("before it is sent", () => {
  test("a file that is empty, too large, something else or misnamed is refused at its field, and nothing is uploaded", async () => {
    const form = await fillIn();
    const posts: string[] = [];
    visit().page.on("request", (request) => request.method() === "POST" && posts.push(request.url()));
    const cases: readonly (readonly [ChosenFile, string])[] = [
      [text("empty.pdf", ""), "This file is empty."],
      [pdfOf(bytesMax.resume + 1), "This file is 5.1 MB; at most 5 MB can be sent."],
      [text("letter.pdf", "Dear all"), "The resume must be a PDF, DOC or DOCX file."],
      [{ ...resume, name: "cv.docx" }, "The name of this file ends in .docx, but it is a PDF file."],
    ];
    for (const [file, words] of cases) {
      await choose(form, file);
      await problemOf(form).getByText(words).waitFor();
      await expect.poll(() => form.locator("input[type=file]").getAttribute("aria-invalid")).toBe("true");
      await send(form);
      await form.locator("#summary").getByRole("link", { name: words }).waitFor();
      await form.getByRole("button", { name: `Remove ${file.name}` }).click();
      await problemOf(form).waitFor({ state: "hidden" });
    }
    expect(posts).toEqual([]);
  });

  test("a file of exactly 5 MiB, and DOC and DOCX files, pass; one can be dropped anywhere on the form, two cannot", async () => {
    const form = await fillIn();
    const address = visit().page.url();
    const doc = fixture("format-corpus__lorem-ipsum.doc", "cv.DOC");
    const docx = fixture("python-docx__default.docx", "cv.docx");
    for (const file of [pdfOf(bytesMax.resume), doc, docx]) {
      await choose(form, file);
      await form.locator(".chosen").getByText(file.name).waitFor();
      await expect.poll(() => problemOf(form).isVisible()).toBe(false);
    }
    await drop(form.getByLabel("Cover letter"), [resume, pdfOf(100)]);
    await problemOf(form).getByText("Only one file can be sent.").waitFor();
    await drop(form.getByLabel("Cover letter"), [resume]);
    await form.locator(".chosen").getByText(resume.name).waitFor();
    await problemOf(form).waitFor({ state: "hidden" });
    expect(visit().page.url()).toBe(address);
    const before = await count();
    await send(form);
    await accepted(form);
    const { applications } = await service().stored();
    expect(applications).toHaveLength(before + 1);
    expect(applications.at(-1)!.resume).toMatchObject({ filename: resume.name, size: resume.buffer.length });
  });
});

describe("on its way", () => {
  nightly("a slow upload shows how much is sent, in the bar and in the same digits, and arrives", async () => {
    const form = await fillIn();
    await choose(form, pdfOf(3_000_000));
    // Half a minute: it must not be over before the bar is looked at.
    await using speedUp = await slowDown(100_000);
    await send(form);
    const bar = form.getByRole("progressbar");
    await bar.waitFor();
    const seen = await bar.evaluate(async (element) => {
      const progress = element as HTMLProgressElement;
      const values: number[] = [];
      while (!progress.hidden && values.length < 5) {
        if (progress.value > (values.at(-1) ?? 0)) values.push(progress.value);
        const digits = progress.parentElement!.querySelector(".percent")!.textContent;
        if (digits !== `${progress.value}%`) throw new Error(`${digits} beside a bar at ${progress.value}.`);
        await new Promise(requestAnimationFrame);
      }
      return values;
    });
    expect(seen.length).toBeGreaterThanOrEqual(3);
    await speedUp();
    await accepted(form);
    const { applications } = await service().stored();
    expect(applications.at(-1)!.resume).toMatchObject({ size: 3_000_000 });
  });

  test("a cancelled upload leaves only what was typed, and can be sent afterwards", async () => {
    const form = await fillIn();
    const before = await count();
    await choose(form, pdfOf(4_000_000));
    // Some minutes.
    await using speedUp = await slowDown(20_000);
    await send(form);
    await form.getByRole("progressbar").waitFor();
    await form.getByRole("button", { name: "Cancel" }).click();
    await form
      .getByRole("status")
      .getByText("Cancelled. If it had already arrived, sending it again does not send it twice.")
      .waitFor();
    await expect.poll(() => form.getByRole("progressbar").isVisible()).toBe(false);
    await expect.poll(() => form.getByLabel("Full name").inputValue()).toBe("Ana Souza");
    await expect.poll(() => form.locator(".chosen").innerText()).toContain("large.pdf");
    await expect.poll(() => service().files("resumes/.staging")).toEqual([]);
    expect(await count()).toBe(before);
    await speedUp();
    await send(form);
    await accepted(form);
    expect(await count()).toBe(before + 1);
  });

  test("a problem that the service finds in the bytes is shown at the field; a broken connection is reported, and trying again sends the same file", async () => {
    const form = await fillIn();
    visit().expectProblems(/Failed to load resource/);
    const before = await count();
    await choose(form, fixture("file-type__fixture.odt", "cv.docx"));
    await send(form);
    await problemOf(form).getByText("this is a file of another kind").waitFor();
    expect(await count()).toBe(before);
    await choose(form, resume);
    await visit().page.route(/\/trpc\//, (route) => route.abort("connectionreset"));
    await sendInVain(visit().page, () => send(form));
    await form.locator("#summary").getByText("We could not be reached.").waitFor();
    await visit().page.unrouteAll();
    await form.getByRole("button", { name: "Try again" }).click();
    await accepted(form);
    const { applications } = await service().stored();
    expect(applications).toHaveLength(before + 1);
    expect(applications.at(-1)!.resume).toMatchObject({ size: resume.buffer.length });
  });
});
