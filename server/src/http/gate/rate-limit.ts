// The gate in front of what a client may do so often: refuses pages of other sites, then counts the calls of a client,
// both before any body is read. It knows nothing of procedures and bodies.
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from "fastify";
import { Fault } from "../../fault.ts";
import type { Admission } from "../../rpc/context.ts";
import type { CallCounts } from "../../storage/call-counts.ts";
import type { ClientAddresses } from "./client-address.ts";
import { countAlone, type Counted, countTogether, type Limiter } from "./limiter.ts";
import type { IsForeign } from "./origin.ts";

export interface RateLimit {
  /** Calls of one client in a window. */
  readonly max: number;
  readonly windowSeconds: number;
}

interface Gated {
  /** How many calls the request holds. */
  calls(request: FastifyRequest): number;
  /** Answers a request of which no call may pass. */
  refuseAll(request: FastifyRequest, reply: FastifyReply, fault: Fault): void;
}

type Done = Parameters<onRequestHookHandler>[2];

interface GuardOptions {
  /** Keeps its counts apart from those of other guards. */
  readonly name: string;
  readonly limit: RateLimit;
  readonly addresses: Pick<ClientAddresses, "keysOf">;
  readonly isForeign: IsForeign;
  /** Where several processes count together; null: only this process counts. */
  readonly shared: CallCounts | null;
}

/** Counts by client address. Both doors share one, so that changing the door does not change the limit. */
export class Guard {
  readonly #options: GuardOptions;
  readonly #limiter: Limiter;

  constructor(options: GuardOptions) {
    const { name, limit, shared } = options;
    const counted = { name, ...limit };
    this.#options = options;
    this.#limiter = shared === null ? countAlone(counted) : countTogether(counted, shared);
  }

  /** A hook for routes that hold calls. What it lets pass is in `request.admission`. */
  hook(gated: Gated): onRequestHookHandler {
    return (request, reply, done) => {
      if (this.#options.isForeign(request)) gated.refuseAll(request, reply, new Fault("crossSiteForbidden"));
      else void this.#count(request, reply, gated, done);
    };
  }

  async #count(request: FastifyRequest, reply: FastifyReply, { calls, refuseAll }: Gated, done: Done): Promise<void> {
    const made = calls(request);
    let counted: Counted;
    try {
      counted = await this.#limiter.count(this.#options.addresses.keysOf(request.raw).rate, made);
    } catch (error) {
      return done(error as Error);
    }
    request.admission = this.#admit(reply, made, counted);
    const { calls: admitted, retryAfterSeconds } = request.admission;
    if (admitted > 0) done();
    else refuseAll(request, reply, new Fault("rateLimited", { retryAfterSeconds }));
  }

  #admit(reply: FastifyReply, calls: number, { calls: all, msLeft }: Counted): Admission {
    const { max } = this.#options.limit;
    const left = max - all;
    const resetSeconds = Math.max(1, Math.ceil(msLeft / 1000));
    reply.headers({
      "ratelimit-limit": max,
      "ratelimit-remaining": Math.max(0, left),
      "ratelimit-reset": resetSeconds,
    });
    return { calls: Math.min(calls, Math.max(0, left + calls)), retryAfterSeconds: resetSeconds };
  }
}

declare module "fastify" {
  interface FastifyRequest {
    /** How many calls of this request may pass; on gated routes only. */
    admission: Admission;
  }
}
