// A guard refuses requests from pages of other sites, then limits how often a client may call. It does both before the body
// is read, and knows nothing of procedures and bodies. Wrong passwords are counted in the same way.
import type { IncomingMessage } from "node:http";
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from "fastify";
import { systemClock } from "../../clock.ts";
import type { Config } from "../../config/config.ts";
import { Fault } from "../../fault.ts";
import { FixedWindows } from "../../fixed-windows.ts";
import type { RateLimitStore } from "../../storage/rate-limit-store.ts";
import { StorageUnavailable } from "../../storage/store.ts";
import type { ClientAddresses } from "./client-address.ts";

/** How many calls of a request may pass, the first ones of a batch, and when the others may be tried again. */
export interface Admission {
  readonly calls: number;
  readonly retryAfterSeconds: number;
}

export const everyCall: Admission = { calls: Number.POSITIVE_INFINITY, retryAfterSeconds: 0 };

interface Gated {
  /** How many calls a request holds; one, if left out. */
  readonly calls?: (request: FastifyRequest) => number;
  /** Whether pages of other sites may send it. */
  readonly fromAnywhere?: boolean;
  /** Answers a request of which no call may pass; as any other refusal, if left out. */
  readonly refuseAll?: (request: FastifyRequest, reply: FastifyReply, fault: Fault) => void;
}

interface GuardOptions {
  /** Keeps its counts apart from those of other guards. */
  readonly name: string;
  readonly limit: Config["rateLimit"];
  readonly addresses: Pick<ClientAddresses, "keysOf">;
  readonly isForeign: IsForeign;
  /** Where several processes count together; null: only this process counts. */
  readonly shared: RateLimitStore | null;
}

/** Counts by client address. Both doors share one, so that changing the door does not change the limit. */
export class Guard {
  readonly #options: GuardOptions;
  readonly #memory: FixedWindows;

  constructor(options: GuardOptions) {
    this.#options = options;
    this.#memory = new FixedWindows(options.limit.windowSeconds * 1000, systemClock);
  }

  /** A hook for routes that hold calls. What it lets pass of a batch is the admission of the exchange. */
  hook({ calls = () => 1, fromAnywhere = false, refuseAll }: Gated = {}): onRequestHookHandler {
    const { isForeign, addresses } = this.#options;
    return (request, reply, done) => {
      const turnAway = (fault: Fault) => (refuseAll ? refuseAll(request, reply, fault) : done(fault));
      if (!fromAnywhere && isForeign(request)) return turnAway(new Fault("crossSiteForbidden"));
      const held = calls(request);
      const admit = ({ left, retryAfterSeconds }: { readonly left: number; readonly retryAfterSeconds: number }) => {
        if (left + held <= 0) return turnAway(new Fault("rateLimited", { retryAfterSeconds }));
        if (left < 0) request.exchange = { ...request.exchange, admission: { calls: left + held, retryAfterSeconds } };
        done();
      };
      this.count(reply, addresses.keysOf(request.raw).rate, held).then(admit, done);
    };
  }

  /** Counts calls of a client and has the answer say how many are left: below zero when these were too many. */
  async count(reply: FastifyReply, client: string, calls: number) {
    const { max } = this.#options.limit;
    const counted = await this.#count(client, calls);
    const left = max - counted.count;
    const retryAfterSeconds = Math.max(1, Math.ceil(counted.msLeft / 1000));
    reply.headers({
      "ratelimit-limit": max,
      "ratelimit-remaining": Math.max(0, left),
      "ratelimit-reset": retryAfterSeconds,
    });
    return { left, retryAfterSeconds };
  }

  // Counts calls beyond the limit too; they do not extend the window. While the shared counts cannot be reached, this process
  // counts alone. Whether submissions can be stored then is for the store to decide.
  async #count(client: string, calls: number) {
    const { name, limit, shared } = this.#options;
    if (shared !== null) {
      try {
        const key = `${name}:${client}`;
        const { calls: all, endsAt } = await shared.count({ key, calls, windowMs: limit.windowSeconds * 1000 });
        return { count: all, msLeft: Math.max(0, endsAt - Date.now()) };
      } catch (error) {
        if (!(error instanceof StorageUnavailable)) throw error;
      }
    }
    return this.#memory.add(client, calls);
  }
}

/** Counts the wrong passwords of each client address in a minute, so that they cannot be tried one after the other. */
export function countWrongPasswords(addresses: Pick<ClientAddresses, "keysOf">, max: number) {
  const counts = new FixedWindows(60_000, systemClock);

  // Over the limit even the right one is refused: an answer that differed would be one more try.
  return (request: IncomingMessage, isRight: boolean): void => {
    const key = addresses.keysOf(request).rate;
    const { count, msLeft } = isRight ? counts.of(key) : counts.add(key);
    if (count - (isRight ? 0 : 1) < max) return;
    throw new Fault("tooManyAttempts", { retryAfterSeconds: Math.max(1, Math.ceil(msLeft / 1000)) });
  };
}

type IsForeign = (request: Pick<FastifyRequest, "method" | "headers" | "raw">) => boolean;

interface Sites {
  /** Of this service. */
  readonly origin: () => string;
  readonly corsOrigins: readonly string[];
  readonly addresses: Pick<ClientAddresses, "hostOf">;
}

// Tells what a browser sends from a page of another site, so that no page can submit in its visitors' names. Programs and
// mail programs send neither of the two headers and are never refused. Only POST changes something.
export function foreignSites({ origin: own, corsOrigins, addresses }: Sites): IsForeign {
  const allowed = new Set<string | undefined>(corsOrigins);
  return ({ method, headers, raw }) => {
    const { origin, "sec-fetch-site": site } = headers;
    if ((origin === undefined && site === undefined) || method !== "POST") return false;
    if (allowed.has(origin)) return false;
    if (site !== undefined) return site === "cross-site";
    return origin !== own() && !isOfHost(origin, addresses.hostOf(raw));
  };
}

// Browsers send no `Sec-Fetch-Site` over plain HTTP. Forms may be opened by any address of this machine. Behind a proxy the
// scheme is not known, so it is not compared.
function isOfHost(origin = "", host = ""): boolean {
  const page = URL.parse(origin);
  if (page === null || !/^https?:$/.test(page.protocol)) return false;
  return URL.parse(`${page.protocol}//${host}`)?.host === page.host;
}
