// Cuts clients that send a body slower than a phone on a bad line: a trickle holds a request, and often the slot of an
// upload, for as long as it likes.
import type { IncomingMessage, Server } from "node:http";
import { cutSlowSender } from "../client-error.ts";
import type { HttpLimits } from "../limits.ts";
import type { Traffic } from "./traffic.ts";

type RateLimits = Pick<HttpLimits, "checkMs" | "bodyBytesPerSecondMin" | "bodyGraceMs">;

/** Checks all unfinished bodies from now on, by the average since each was first looked at, until the server closes. */
export function cutSlowSenders(server: Server, traffic: Pick<Traffic, "lastAnswers">, limits: RateLimits): void {
  const begun = new WeakMap<IncomingMessage, { readonly at: number; readonly bytes: number }>();
  const timer = setInterval(() => {
    const now = performance.now();
    for (const { req } of traffic.lastAnswers()) {
      if (req.complete) continue;
      const { bytesRead } = req.socket;
      const start = begun.get(req);
      // What waits to be read shows that this process is the slow side.
      if (start === undefined || req.readableLength > 0) begun.set(req, { at: now, bytes: bytesRead });
      else if (isTooSlow(now - start.at, bytesRead - start.bytes, limits)) cutSlowSender(req.socket);
    }
  }, limits.checkMs).unref();
  server.once("close", () => clearInterval(timer));
}

const isTooSlow = (ms: number, bytes: number, { bodyBytesPerSecondMin, bodyGraceMs }: RateLimits): boolean =>
  ms >= bodyGraceMs && bytes * 1000 < bodyBytesPerSecondMin * ms;
