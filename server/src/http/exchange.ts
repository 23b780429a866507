// The one member that this service adds to requests: what the gates found. A gate that finds more hands on a new one.
import type { FastifyInstance } from "fastify";
import type { Door } from "../storage/records.ts";
import { type Admission, everyCall } from "./gate/guard.ts";
import type { Observation, Observer } from "./observed-requests.ts";
import type { PageAnswer } from "./pages/page-answer.ts";

interface Exchange {
  readonly observation: Observation;
  /** How it is answered with pages; null: it is not. */
  readonly page: PageAnswer | null;
  readonly admission: Admission;
}

export function beginExchanges(app: FastifyInstance, observer: Observer): void {
  app.decorateRequest("exchange");
  app.addHook("onRequest", (request, reply, done) => {
    request.exchange = { observation: observer.begin(request, reply), page: null, admission: everyCall };
    done();
  });
}

declare module "fastify" {
  interface FastifyRequest {
    exchange: Exchange;
  }
  interface FastifyContextConfig {
    /** Whose calls the route takes. Those that are refused before they are made are counted, too. */
    readonly door?: Door;
    /** The procedure that it calls; absent: those that the address names. */
    readonly procedure?: string;
    /** Whether a path is an address of the route; absent: each that its pattern matches. */
    readonly matches?: (path: string) => boolean;
  }
}
