// The snippets of docs/existing-front-end.md, run as the script of a page of another origin that has a form.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { expect } from "vitest";
import { Visit } from "../browser.ts";
import { openHostSite } from "../host-site.ts";
import { startService } from "../service.ts";
import { resume } from "./people.ts";

const folder = join(import.meta.dirname, "../../../docs");
const written = "http://127.0.0.1:3000";

export async function snippetsOf(heading: string, page = "existing-front-end.md"): Promise<string[]> {
  const text = await readFile(join(folder, page), "utf8");
  const [, section = ""] = text.split(new RegExp(`^###? ${heading}$`, "m"));
  const [own = ""] = section.split(/^##/m);
  const found = [...own.matchAll(/^```\w+\n([^]*?)^```/gm)].map(([, code = ""]) => code);
  expect(found.length, heading).toBeGreaterThan(0);
  return found;
}

export const sentTo = (url: string, code: string): string => code.replaceAll(written, url);

const person = { fullName: "Ana Souza", email: "ana@example.org", position: "Accent annotator" };
const inputs = Object.entries(person).map(([name, value]) => `<input name="${name}" value="${value}">`);
const page = `<form>${inputs.join("")}<input name="phone"><input type="file" name="resumeFile"></form>`;
const inquiry = { name: "Ann Buyer", email: "ann@example.org", selectedPackageIds: ["de-AT"], company: null };

/** Runs a snippet twice, without a resume and with one. @param inquiries how many it sends beside the two applications */
export async function runInPage(
  browser: Browser,
  code: string,
  { library, inquiries }: { readonly library: string; readonly inquiries: number },
): Promise<void> {
  await using host = await openHostSite();
  await using service = await startService({ env: { CORS_ORIGINS: host.url } });
  host.show({ body: page });
  await using visit = await Visit.begin(browser);
  await visit.page.goto(host.url);
  await visit.page.addScriptTag({ path: library });
  const scene = `const form = document.querySelector("form"), inquiry = ${JSON.stringify(inquiry)};`;
  const applications = async () => (await service.stored()).applications;
  for (const count of [1, 2]) {
    await visit.page.addScriptTag({ type: "module", content: scene + sentTo(service.url, code) });
    await expect.poll(async () => (await applications()).length).toBe(count);
    await visit.page.locator("input[type=file]").setInputFiles(resume);
  }
  const [without, withFile] = await applications();
  expect(without).toMatchObject({ name: person.fullName, resume: null });
  expect(withFile).toMatchObject({ name: person.fullName, resume: { filename: resume.name } });
  await expect.poll(async () => (await service.stored()).inquiries.length).toBe(inquiries);
  for (const one of (await service.stored()).inquiries) expect(one).toMatchObject({ ...inquiry, company: null });
}
