// Reads on, and throws away, what a client still sends after it was refused, so that a client that writes before it
// reads can see the answer. Bounded in bytes and time: left alone, Node would drain without limit.
import type { IncomingMessage } from "node:http";

/** What is read of a refused body, and thrown away. */
export const drainBytesMax = 32 * 1024 * 1024;
const drainMsMax = 10_000;

/** Drains the rest of a request's body; a client that sends more than 32 MiB or longer than 10 s is cut off. */
export function drain(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  let bytes = 0;
  const timer = setTimeout(() => request.destroy(), drainMsMax).unref();
  request.once("close", () => clearTimeout(timer));
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > drainBytesMax) request.destroy();
  });
  // A destroyed request says so with an error that nobody else listens for.
  request.on("error", () => {});
  request.unpipe();
  request.resume();
}
