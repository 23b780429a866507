// The end of the HTTP side. Readiness goes first; callers that have not heard of it are still served. Then new requests are
// refused, those under way are finished, and what is left at the deadline is cut.
import type { FastifyInstance } from "fastify";
import { Fault } from "../../fault.ts";
import type { Traffic } from "./traffic.ts";

// The rest of the time that closing takes (app.ts) is the outbox's and the store's.
const closeMsMax = 4_500;

export class Draining {
  /** Whether connections end with their last answer. */
  started = false;
  /** Whether nothing new is taken, but for the health paths. */
  refusing = false;

  guard(app: FastifyInstance, traffic: Pick<Traffic, "answersOn" | "endWith">): void {
    app.addHook("onRequest", (request, _reply, done) => {
      if (!this.refusing) return done();
      const route = request.routeOptions.url;
      if (route === "/healthz" || route === "/readyz") return done();
      done(new Fault("draining", { retryAfterSeconds: 5 }));
    });
    app.addHook("onSend", (_request, { raw }, payload, done) => {
      // Requests behind this one are under way, and are answered.
      if (this.started && traffic.answersOn(raw.req.socket).at(-1) === raw) traffic.endWith(raw);
      done(null, payload);
    });
    app.addHook("preClose", (done) => {
      setTimeout(() => app.server.closeAllConnections(), closeMsMax).unref();
      done();
    });
  }
}
