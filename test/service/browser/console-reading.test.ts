// Reading resumes beside the letters, from one application to the next.
import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { FrameLocator } from "playwright-core";
import { expect, test } from "vitest";
import { onePagePdf } from "../../../server/dev/seed/made-up.ts";
import { applicant, form, rest } from "../../support/doors.ts";
import { ConsoleSite, operators } from "../../support/browser/console-site.ts";
import { oneVisit, phone, wide } from "../../support/browser/console-visit.ts";
import { openBrowser, Visit } from "../../support/browser.ts";
import { nightly } from "../../support/many-or-few.ts";
import { shared } from "../../support/shared.ts";

const assets = new URL("../../../client/dist/console/assets/", import.meta.url);
/** Named by its version. */
const pdfFolder = readdirSync(assets).find((name) => name.startsWith("pdfjs-"))!;

const site = shared(() => ConsoleSite.open({ count: 0 }));
const { go } = oneVisit(site, operators.cleo[0]);

async function apply(fullName: string, bytes: string | Uint8Array<ArrayBuffer>, name = "resume.pdf"): Promise<string> {
  const resumeFile = new File([bytes], name);
  const fields = { ...applicant, fullName, coverLetter: "Dear team, here is my resume.", resumeFile };
  const service = { url: new URL(site().url).origin };
  const { receipt } = await rest.send(service, "applications.submit", form(fields));
  return String(receipt?.["applicationId"]);
}

/** How many colours of some a page has. */
const coloursOf = (viewer: FrameLocator) =>
  viewer.getByRole("img", { name: /^Page 1/ }).evaluate((canvas: HTMLCanvasElement) => {
    const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
    return new Set(new Uint32Array(data.buffer)).size;
  });

/** What pdf.js needs for scans and for scripts of East Asia: the frame may load it from our server, and compile it. */
const loadedIn = (viewer: FrameLocator) =>
  viewer.locator("body").evaluate(async (_body, folder) => {
    const base = new URL(`${folder}/`, document.querySelector<HTMLScriptElement>("script[src]")!.src);
    const loaded: string[] = [];
    for (const path of ["wasm/openjpeg.wasm", "wasm/jbig2.wasm", "cmaps/Adobe-Japan1-UCS2.bcmap"]) {
      const response = await fetch(new URL(path, base));
      const bytes = await response.arrayBuffer();
      if (path.endsWith(".wasm")) await WebAssembly.compile(bytes);
      if (response.ok) loaded.push(path.replace(/^.*\//, ""));
    }
    return loaded;
  }, pdfFolder);

test("what is built of others carries their licences, which the service serves", async () => {
  const address = (path: string) => new URL(`console/assets/${path}`, new URL("/", site().url));
  const texts = [
    ["LICENSES", "pdfjs-dist"],
    [`${pdfFolder}/cmaps/LICENSE`, "Adobe"],
    [`${pdfFolder}/standard_fonts/LICENSE_FOXIT`, "Foxit|PDFium"],
    [`${pdfFolder}/standard_fonts/LICENSE_LIBERATION`, "SIL OPEN FONT LICENSE|Liberation"],
    [`${pdfFolder}/wasm/LICENSE_OPENJPEG`, "Redistribution"],
    [`${pdfFolder}/wasm/LICENSE_JBIG2`, "Redistribution|LICENSE|Copyright"],
    [`${pdfFolder}/wasm/LICENSE_QCMS`, "Permission"],
  ] as const;
  for (const [path, words] of texts) {
    const answer = await fetch(address(path));
    expect
      .soft([path, answer.status, answer.headers.get("content-type")])
      .toEqual([path, 200, "text/plain; charset=utf-8"]);
    expect.soft(await answer.text()).toMatch(new RegExp(words));
  }
});

nightly(
  "a resume that was opened stays open, beside the letter where there is room; what is blank says so",
  async () => {
    const blank = await apply("Dario Berg", onePagePdf(""));
    const second = await apply("Cleo Novak", onePagePdf("Second"));
    const plain = await apply("Ana Souza", onePagePdf("Curriculum vitae"));
    const page = await go(`/applications/${plain}?kind=application`);
    await page.getByRole("button", { name: "Show resume" }).click();
    const viewer = page.frameLocator("iframe[title=Resume]");
    await viewer.getByRole("img", { name: "Page 1: Curriculum vitae" }).waitFor();
    const letter = await page.getByText("Dear team, here is my resume.").boundingBox();
    const frame = page.locator("iframe[title=Resume]");
    const beside = (await frame.boundingBox())!;
    expect(beside.x).toBeGreaterThan(letter!.x + 100);
    expect(beside.y).toBeLessThan(letter!.y + 300);
    await page.keyboard.press("j");
    await page.getByRole("heading", { name: "Cleo Novak", level: 1 }).waitFor();
    await page.getByRole("button", { name: "Hide resume" }).waitFor();
    await viewer.getByRole("img", { name: "Page 1: Second" }).waitFor();
    await expect.poll(() => coloursOf(viewer)).toBeGreaterThan(1);
    expect(page.url()).toContain(second);
    expect(await loadedIn(viewer)).toEqual(["openjpeg.wasm", "jbig2.wasm", "Adobe-Japan1-UCS2.bcmap"]);
    await page.keyboard.press("j");
    await page.getByRole("heading", { name: "Dario Berg", level: 1 }).waitFor();
    await viewer.getByText("Nothing could be drawn of page 1.").waitFor();
    await page.getByText("Not all of the resume could be drawn. Please download it.").waitFor();
    await page.getByRole("link", { name: "Download resume" }).waitFor();
    expect(page.url()).toContain(blank);
    const narrow = await go(`/applications/${plain}?kind=application`, { viewport: phone.viewport });
    // A frame that is out of sight is drawn when it is scrolled to.
    await frame.scrollIntoViewIfNeeded();
    await viewer.getByRole("img", { name: "Page 1: Curriculum vitae" }).waitFor();
    const above = await narrow.getByText("Dear team, here is my resume.").boundingBox();
    expect((await frame.boundingBox())!.y).toBeGreaterThan(above!.y);
    await narrow.getByRole("button", { name: "Hide resume" }).click();
    await go(`/applications/${second}?kind=application`);
    await page.getByRole("button", { name: "Show resume" }).waitFor();
  },
);

nightly("a PDF is drawn by a browser without what is newer than those that the documentation names", async () => {
  const reference = await apply("Ivo Berg", onePagePdf("Written long ago"));
  await using visit = await Visit.begin(await openBrowser(), wide);
  const { page } = visit;
  await page.addInitScript(() => {
    const since126 = [
      [Map.prototype, "getOrInsertComputed"],
      [WeakMap.prototype, "getOrInsertComputed"],
      [Math, "sumPrecise"],
      [Promise, "try"],
      [ReadableStream.prototype, Symbol.asyncIterator],
      [Uint8Array, "fromBase64"],
      [Uint8Array.prototype, "toBase64"],
      [Uint8Array.prototype, "toHex"],
    ] as const;
    for (const [owner, name] of since126) Reflect.deleteProperty(owner, name);
  });
  await site().signIn(visit.context, operators.cleo[0]);
  await page.goto(`${site().url}/applications/${reference}`);
  await page.getByRole("button", { name: "Show resume" }).click();
  const viewer = page.frameLocator("iframe[title=Resume]");
  await viewer.getByRole("img", { name: "Page 1: Written long ago" }).waitFor();
  await expect.poll(() => coloursOf(viewer)).toBeGreaterThan(1);
  // What the page lacks it lacks until it ends.
  await page.close();
});

const scans = [
  ["JPEG 2000", "jpeg2000"],
  ["JBIG2", "jbig2"],
] as const;

nightly.for(scans)("a page that is a scan in %s is drawn", async ([, name]) => {
  const bytes = await readFile(new URL(`../../fixtures/scans/${name}.pdf`, import.meta.url));
  const reference = await apply("Finn Berg", new Uint8Array(bytes));
  const page = await go(`/applications/${reference}?kind=application`);
  await page.getByRole("button", { name: "Show resume" }).click();
  const viewer = page.frameLocator("iframe[title=Resume]");
  await viewer.getByRole("img", { name: "Page 1" }).waitFor();
  await expect.poll(() => coloursOf(viewer)).toBeGreaterThan(1);
  expect(await viewer.getByText("Nothing could be drawn").count()).toBe(0);
  await page.getByRole("button", { name: "Hide resume" }).click();
});

test("a DOCX is shown as text, without what it links to", async () => {
  const bytes = await readFile(new URL("../../fixtures/documents/files/mammoth.js__endnotes.docx", import.meta.url));
  const reference = await apply("Eva Souza", new Uint8Array(bytes), "resume.docx");
  const page = await go(`/applications/${reference}?kind=application`);
  await page.getByRole("button", { name: "Show resume" }).click();
  const text = page.frameLocator("iframe[title=Resume]").getByRole("article");
  await text.waitFor();
  await expect.poll(() => text.innerText()).toContain("Ouch");
  expect(await text.locator("a, img, script, style, [style], [onclick]").count()).toBe(0);
  await page.getByRole("button", { name: "Hide resume" }).click();
});
