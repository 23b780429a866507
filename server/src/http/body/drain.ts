// Reads on, and throws away, what a client still sends after it was refused, so that a client that writes before it
// reads can see the answer. Left alone, Node would read on without limit.
import type { IncomingMessage } from "node:http";
import type { HttpLimits } from "../limits.ts";

/** Drains the rest of a request's body within the limits; a client that sends more or longer is cut off. */
export function drain(request: IncomingMessage, { drainBytesMax, drainMsMax }: HttpLimits): void {
  if (request.complete || request.destroyed) return;
  let bytes = 0;
  const timer = setTimeout(() => request.destroy(), drainMsMax).unref();
  request.once("close", () => clearTimeout(timer));
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > drainBytesMax) request.destroy();
  });
  // A destroyed request reports it as an error, and has no other listener for it.
  request.on("error", () => {});
  request.unpipe();
  request.resume();
}
