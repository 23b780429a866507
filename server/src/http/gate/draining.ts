// The end of the HTTP side. Readiness goes first; callers that have not heard of it are still served, and their
// connections closed after the answer. Then new requests are refused, those under way are finished, and what is left after
// the deadline is cut.
import type { FastifyInstance } from "fastify";
import { Fault } from "../../fault.ts";
import { refuse } from "../fault-reply.ts";
import type { Traffic } from "./traffic.ts";

// The rest of the time that closing takes (app.ts) is the outbox's and the store's.
const closeMsMax = 4_500;
const idleCheckMs = 50;

export class Draining {
  #started = false;
  #refusing = false;
  #traffic: Pick<Traffic, "lastAnswers"> | null = null;

  get started(): boolean {
    return this.#started;
  }

  /** Ends connections with their next answer once draining has begun, and refuses requests from when it is told to. */
  guard(app: FastifyInstance, traffic: Pick<Traffic, "lastAnswers">): void {
    this.#traffic = traffic;
    app.addHook("onRequest", (request, reply, done) => {
      if (!this.#started) return done();
      reply.raw.shouldKeepAlive = false;
      const route = request.routeOptions.url;
      if (!this.#refusing || route === "/healthz" || route === "/readyz") return done();
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
    if (this.#started) return;
    this.#started = true;
    // Requests that came before: a client that sent its next one on the same connection could meet its end.
    for (const response of this.#traffic?.lastAnswers() ?? []) {
      if (!response.headersSent) response.shouldKeepAlive = false;
    }
  }

  /** From now on nothing new is taken, but for the health paths. */
  refuse(): void {
    this.start();
    this.#refusing = true;
  }
}
