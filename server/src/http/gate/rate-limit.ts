// The gate in front of both doors: counts the calls of a client before any body is read, and says how many of them may
// pass. It knows nothing of procedures and bodies.
import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from "fastify";
import type { RateLimiterAbstract } from "rate-limiter-flexible";
import { Fault } from "../../fault.ts";
import type { Admission } from "../../rpc/context.ts";
import { limitKey, type ReadClientAddress } from "./client-address.ts";
import { openRateLimiter, type RateLimit } from "./rate-limiter.ts";

interface Gated {
  /** How many calls the request holds. */
  calls(request: FastifyRequest): number;
  /** Answers a request of which no call may pass. */
  refuseAll(request: FastifyRequest, reply: FastifyReply, fault: Fault): void;
}

/** One for both doors and all procedures, so that changing the door does not change the limit. */
export class Guard {
  readonly #max: number;
  readonly #limiter: RateLimiterAbstract;
  readonly #addressOf: ReadClientAddress;

  constructor(limit: RateLimit, addressOf: ReadClientAddress, limiter = openRateLimiter("calls", limit, null)) {
    this.#max = limit.max;
    this.#limiter = limiter;
    this.#addressOf = addressOf;
  }

  /** A hook for routes that hold calls. What it lets pass is in `request.admission`. */
  hook({ calls, refuseAll }: Gated): onRequestAsyncHookHandler {
    return async (request, reply) => {
      const admission = await this.#admit(request, reply, calls(request));
      request.admission = admission;
      if (admission.calls > 0) return undefined;
      refuseAll(request, reply, new Fault("rateLimited", { retryAfterSeconds: admission.retryAfterSeconds }));
      return reply;
    };
  }

  async #admit(request: FastifyRequest, reply: FastifyReply, calls: number): Promise<Admission> {
    const address = this.#addressOf(request.raw.socket.remoteAddress, request.headers["x-forwarded-for"]);
    // Counts on beyond the limit and, unlike `consume`, rejects nothing; the window does not move for it.
    const { consumedPoints, msBeforeNext } = await this.#limiter.penalty(limitKey(address), calls);
    const resetSeconds = Math.max(1, Math.ceil(msBeforeNext / 1000));
    const left = this.#max - consumedPoints;
    reply.header("ratelimit-limit", this.#max);
    reply.header("ratelimit-remaining", Math.max(0, left));
    reply.header("ratelimit-reset", resetSeconds);
    return { calls: Math.min(calls, Math.max(0, left + calls)), retryAfterSeconds: resetSeconds };
  }
}

declare module "fastify" {
  interface FastifyRequest {
    /** How many calls of this request may pass; on gated routes only. */
    admission: Admission;
  }
}
