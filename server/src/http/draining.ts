// The end of the HTTP side: readiness goes first, new requests are refused, those in flight are finished, idle
// connections are closed as they become idle, and what is left after the deadline is cut.
import type { FastifyInstance } from "fastify";
import { Fault } from "../fault.ts";
import { refuse } from "./fault-reply.ts";

// The service ends within 9.5 s of SIGTERM: half a second of notice comes before this (main.ts), the outbox stops after
// it and has 3 s (outbox.ts), the rest is for the store.
const closeMsMax = 4_500;
const idleCheckMs = 50;

export class Draining {
  #started = false;

  get started(): boolean {
    return this.#started;
  }

  /** Refuses requests that arrive on open connections once draining has begun, but for the health paths. */
  guard(app: FastifyInstance): void {
    app.addHook("onRequest", (request, reply, done) => {
      if (!this.#started) return done();
      reply.header("connection", "close");
      if (request.url === "/healthz" || request.url === "/readyz") return done();
      refuse(request, reply, new Fault("draining", { retryAfterSeconds: 5 }));
    });
    // A keep-alive connection that finishes its request during the close would otherwise stay open until its time-out.
    app.addHook("preClose", (done) => {
      const timer = setInterval(() => app.server.closeIdleConnections(), idleCheckMs);
      const cut = setTimeout(() => app.server.closeAllConnections(), closeMsMax);
      app.server.once("close", () => {
        clearInterval(timer);
        clearTimeout(cut);
      });
      done();
    });
  }

  /** From now on the service is not ready and takes nothing new. */
  start(): void {
    this.#started = true;
  }
}
