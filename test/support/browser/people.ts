// What people type into the forms, and the files that they bring.
import { readFileSync } from "node:fs";
import type { Browser, Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { barriersOf, Visit } from "../browser.ts";
import { manyOrFew } from "../many-or-few.ts";

export interface ChosenFile {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}

export const resume: ChosenFile = {
  name: "Ana Souza.pdf",
  mimeType: "application/pdf",
  buffer: readFileSync(new URL("../../fixtures/documents/files/format-corpus__lorem-ipsum.pdf", import.meta.url)),
};

export function pdfOf(bytes: number): ChosenFile {
  const buffer = Buffer.alloc(bytes, "%\n");
  buffer.write("%PDF-1.7\n");
  buffer.write("\n%%EOF\n", bytes - 7);
  return { name: "large.pdf", mimeType: "application/pdf", buffer };
}

export async function visitFrontPage(browser: Browser, { url }: { readonly url: string }): Promise<Visit> {
  const visit = await Visit.begin(browser);
  await visit.page.goto(url);
  await formsReady(visit.page);
  return visit;
}

export const formsReady = (page: Page) =>
  page.waitForFunction(() =>
    ["inquiry-form", "newsletter-form", "application-form"].every((name) => customElements.get(name)),
  );

/** Dark on a phone, and at night light on a screen, where it ends; both fit. */
export async function hasNoSeriousBarrier(page: Page): Promise<void> {
  const looks = [
    ["dark", 360],
    ["light", 1440],
  ] as const;
  for (const [colorScheme, width] of looks.slice(0, manyOrFew(2))) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    // Colours that fade into each other have less contrast meanwhile.
    await expect.poll(() => page.evaluate(() => document.getAnimations().length)).toBe(0);
    const barriers = (await barriersOf(page)).filter(({ impact }) => impact === "serious" || impact === "critical");
    expect(barriers.map(({ id, nodes }) => [colorScheme, id, nodes.map(({ html }) => html)])).toEqual([]);
  }
}

/** Sends a form in vain, and ends the 15 seconds in which it tries again by itself. They begin with its first try. */
export async function sendInVain(page: Page, send: () => Promise<void>): Promise<void> {
  if (await page.evaluate(() => !("__pwClock" in globalThis))) await page.clock.install();
  const failed = page.waitForEvent("requestfailed", (request) => request.url().includes("/trpc/"));
  await send();
  await failed;
  await page.clock.fastForward(20_000);
}

export async function fillInquiry(form: Locator, email = "ann@example.org"): Promise<void> {
  await form.getByRole("checkbox").first().check();
  await form.getByLabel("Your name").fill("Ann Buyer");
  await form.getByLabel("E-mail address").fill(email);
}

export async function fillApplication(form: Locator): Promise<void> {
  await form.getByLabel("Full name").fill("Ana Souza");
  await form.getByLabel("E-mail address").fill("ana@example.org");
  await form.getByLabel("Position you apply for").fill("Accent annotator");
}
