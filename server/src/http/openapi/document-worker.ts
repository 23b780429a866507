// In a thread of its own: loading the generator would hold up all requests, and its memory is needed only once.
import { parentPort, workerData } from "node:worker_threads";
import { buildOpenApiDocument, type DocumentOptions } from "./document.ts";

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port of a worker has no origin
parentPort?.postMessage(JSON.stringify(buildOpenApiDocument(workerData as DocumentOptions)));
