// Shows a resume in a frame without an origin: whatever a hostile PDF did here, it would reach nothing. The page around
// the frame sends the bytes, because the frame itself may load nothing but its own files.
import { getDocument, type PDFPageProxy, version } from "pdfjs-dist/legacy/build/pdf.mjs";
import * as worker from "pdfjs-dist/legacy/build/pdf.worker.mjs";

// Read by pdf.js: it then works without a worker, which this frame could not start.
Object.assign(globalThis, { pdfjsWorker: worker });

// pdf.js iterates over streams, also in its build for older browsers. Safari 18 cannot.
ReadableStream.prototype[Symbol.asyncIterator] ??= async function* iterate(this: ReadableStream) {
  const reader = this.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return undefined;
    yield value;
  }
};

const pagesMax = 30;
/** Pixels of one page; a larger one is drawn coarser, so that a hostile size fills no memory. */
const pixelsMax = 4_000_000;

const main = document.querySelector("main");

addEventListener("message", (event) => {
  if (event.source === parent && event.data instanceof ArrayBuffer) void show(event.data);
});

async function show(bytes: ArrayBuffer): Promise<void> {
  try {
    tell((await (isZip(bytes) ? write(bytes) : draw(bytes))) ? "shown" : "partly");
  } catch {
    // Whatever is wrong with the file: the page around says that it can be downloaded.
    tell("failed");
  }
}

const tell = (state: "ready" | "shown" | "partly" | "failed") => parent.postMessage({ viewer: state }, "*");

/** Whether it is a DOCX: other archives are no resumes. */
const isZip = (bytes: ArrayBuffer): boolean => new TextDecoder().decode(bytes.slice(0, 2)) === "PK";

/** Whether it has text. */
async function write(bytes: ArrayBuffer): Promise<boolean> {
  const { readDocx } = await import("./docx.ts");
  const article = document.createElement("article");
  article.append(await readDocx(bytes));
  main?.append(article);
  return article.textContent?.trim() !== "";
}

// Beside this script, on our own server. Not written as one URL, which the build would take for one file.
const here = import.meta.url;
const files = (folder: string) => new URL(`pdfjs-${version}/${folder}/`, here).href;

/** Whether each page has something on it. */
async function draw(bytes: ArrayBuffer): Promise<boolean> {
  const pdf = await getDocument({
    data: bytes,
    cMapUrl: files("cmaps"),
    standardFontDataUrl: files("standard_fonts"),
    wasmUrl: files("wasm"),
    isEvalSupported: false,
    enableXfa: false,
    verbosity: 0,
  }).promise;
  let isWhole = pdf.numPages <= pagesMax;
  for (let number = 1; number <= Math.min(pdf.numPages, pagesMax); number += 1) {
    // One page after the other, so that the first is there soon.
    // oxlint-disable-next-line no-await-in-loop
    const canvas = await drawn(await pdf.getPage(number), number);
    main?.append(canvas);
    if (!isBlank(canvas)) continue;
    isWhole = false;
    const said = document.createElement("p");
    said.textContent = `Nothing could be drawn of page ${number}. The download has the file as it is.`;
    main?.append(said);
  }
  return isWhole;
}

/** Whether all of it has one colour. */
function isBlank(canvas: HTMLCanvasElement): boolean {
  const { width, height } = canvas;
  const image = canvas.getContext("2d")?.getImageData(0, 0, width, height);
  if (image === undefined) return true;
  const pixels = new Uint32Array(image.data.buffer);
  return pixels.every((pixel) => pixel === pixels[0]);
}

async function drawn(page: PDFPageProxy, number: number): Promise<HTMLCanvasElement> {
  const natural = page.getViewport({ scale: 1 });
  const wanted = (Math.min(innerWidth, 960) / natural.width) * devicePixelRatio;
  const scale = Math.min(wanted, Math.sqrt(pixelsMax / (natural.width * natural.height)));
  const viewport = page.getViewport({ scale });
  const canvas = document.createElement("canvas");
  canvas.width = Math.floor(viewport.width);
  canvas.height = Math.floor(viewport.height);
  const { items } = await page.getTextContent();
  canvas.setAttribute("role", "img");
  const text = items.map((item) => ("str" in item ? item.str : "")).join(" ");
  canvas.setAttribute("aria-label", `Page ${number}: ${text.slice(0, 5_000)}`);
  await page.render({ canvas, viewport }).promise;
  return canvas;
}

tell("ready");
