// The end of the HTTP side: readiness goes first, and whoever has not heard of it is still served, on a connection that is
// closed after it. Then new requests are refused, those in flight are finished, idle connections are closed as they become
// idle, and what is left after the deadline is cut.
import type { FastifyInstance } from "fastify";
import { Fault } from "../../fault.ts";
import { refuse } from "../fault-reply.ts";

// The service ends within 9.5 s of SIGTERM: a second of notice comes before this (main.ts), the outbox stops after it and
// has 3 s (outbox.ts), the rest is for the store.
const closeMsMax = 4_500;
const idleCheckMs = 50;

export class Draining {
  #started = false;
  #refusing = false;

  get started(): boolean {
    return this.#started;
  }

  /** Ends connections with their next answer once draining has begun, and refuses requests from when it is told to. */
  guard(app: FastifyInstance): void {
    // Whatever began before: a client that sent its next request on this connection could meet its end.
    app.addHook("onSend", (_request, reply, payload, done) => {
      if (this.#started) reply.header("connection", "close");
      done(null, payload);
    });
    app.addHook("onRequest", (request, reply, done) => {
      if (!this.#refusing) return done();
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

  /** From now on the service is not ready. */
  start(): void {
    this.#started = true;
  }

  /** From now on nothing new is taken, but for the health paths. */
  refuse(): void {
    this.start();
    this.#refusing = true;
  }
}
