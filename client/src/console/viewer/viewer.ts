// Draws a resume in a frame without an origin: whatever a hostile PDF did here, it would reach nothing. The page around
// the frame sends the bytes, because the frame itself may load nothing but its own files.
import { getDocument, type PDFPageProxy } from "pdfjs-dist";
import * as worker from "pdfjs-dist/build/pdf.worker.mjs";

// Read by pdf.js: it then works without a worker, which this frame could not start.
Object.assign(globalThis, { pdfjsWorker: worker });

const pagesMax = 30;
/** Pixels of one page; a larger one is drawn coarser, so that a hostile size fills no memory. */
const pixelsMax = 4_000_000;

const main = document.querySelector("main");

addEventListener("message", (event) => {
  if (event.source === parent && event.data instanceof ArrayBuffer) void show(event.data);
});

async function show(bytes: ArrayBuffer): Promise<void> {
  try {
    await draw(bytes);
    tell("shown");
  } catch {
    // Whatever is wrong with the file: the page around says that it can be downloaded.
    tell("failed");
  }
}

const tell = (state: "ready" | "shown" | "failed") => parent.postMessage({ viewer: state }, "*");

async function draw(bytes: ArrayBuffer): Promise<void> {
  const pdf = await getDocument({ data: bytes, isEvalSupported: false, useWasm: false, enableXfa: false, verbosity: 0 })
    .promise;
  for (let number = 1; number <= Math.min(pdf.numPages, pagesMax); number += 1) {
    // One page after the other, so that the first is there soon.
    // oxlint-disable-next-line no-await-in-loop
    main?.append(await drawn(await pdf.getPage(number), number));
  }
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
