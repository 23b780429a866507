// Read by the bundler.
declare module "*.css";

// pdf.js publishes no types of its worker.
declare module "pdfjs-dist/legacy/build/pdf.worker.mjs" {
  export const WorkerMessageHandler: unknown;
}
