// Sheds load: beyond what the process can carry, requests are answered 503 at once, their bodies unread, instead of
// queueing until everybody times out.
import type { FastifyInstance, FastifyRequest } from "fastify";
import { Fault } from "../../fault.ts";
import type { Metrics } from "../../observe/metrics.ts";
import { refuse } from "../fault-reply.ts";

/** What a process carries at once. */
export interface OverloadLimits {
  readonly requestsInFlightMax: number;
  readonly uploadsInFlightMax: number;
  readonly loopLagMsMax: number;
  readonly connectionsMax: number;
}

export const overloadLimits: OverloadLimits = {
  /** Half a second of work at 4,000 answers a second, the measured rate of a small machine: more only waits. */
  requestsInFlightMax: 2_000,
  /** Each has a staging file open and its buffers: 128 at once stay below 300 MB, and 1,024 open files are usual. */
  uploadsInFlightMax: 256,
  /** Health probes give up after about a second. */
  loopLagMsMax: 1_000,
  /** Five for each request in flight; without a limit idle ones take the files that the store and the vault open. */
  connectionsMax: 10_000,
};

const lagCheckMs = 500;
// One stall (a garbage collection, a slow disk) says nothing; a loop that is late this often in a row cannot keep up.
const lateChecksMin = 3;
const retryAfterSeconds = 2;

/** Whoever watches must be able to see that the process is alive but busy. */
const alwaysAnswered = new Set(["/healthz", "/readyz", "/metrics"]);

export class Overload {
  readonly #limits: OverloadLimits;
  readonly #metrics: Pick<Metrics, "uploadsInFlight">;
  readonly #lag: LoopLag;
  #requests = 0;
  #uploads = 0;

  constructor(metrics: Pick<Metrics, "uploadsInFlight">, limits: OverloadLimits = overloadLimits) {
    this.#limits = limits;
    this.#metrics = metrics;
    this.#lag = new LoopLag(limits.loopLagMsMax);
  }

  /** Refuses what is too much, before bodies are read. */
  guard(app: FastifyInstance): void {
    app.server.maxConnections = this.#limits.connectionsMax;
    app.addHook("onRequest", (request, reply, done) => {
      if (alwaysAnswered.has(request.url)) return done();
      const upload = isUpload(request);
      if (this.#isTooMuch(upload)) return void refuse(request, reply, new Fault("overloaded", { retryAfterSeconds }));
      this.#enter(upload);
      // Comes after every end of an answer, also when the client goes away before it.
      reply.raw.once("close", () => this.#leave(upload));
      done();
    });
    const timer = setInterval(() => this.#lag.check(performance.now()), lagCheckMs).unref();
    app.addHook("onClose", (_app, done) => {
      clearInterval(timer);
      done();
    });
  }

  #isTooMuch(upload: boolean): boolean {
    const { requestsInFlightMax, uploadsInFlightMax } = this.#limits;
    return (
      this.#lag.isTooLong || this.#requests >= requestsInFlightMax || (upload && this.#uploads >= uploadsInFlightMax)
    );
  }

  #enter(upload: boolean): void {
    this.#requests += 1;
    if (!upload) return;
    this.#uploads += 1;
    this.#metrics.uploadsInFlight.inc();
  }

  #leave(upload: boolean): void {
    this.#requests -= 1;
    if (!upload) return;
    this.#uploads -= 1;
    this.#metrics.uploadsInFlight.dec();
  }
}

const isUpload = ({ headers }: FastifyRequest): boolean =>
  /^\s*multipart\/form-data/i.test(headers["content-type"] ?? "");

/** Watches how late a regular check comes. */
export class LoopLag {
  readonly #lagMsMax: number;
  #checkedAt: number | undefined;
  #late = 0;

  constructor(lagMsMax: number) {
    this.#lagMsMax = lagMsMax;
  }

  /** @param now milliseconds of a clock that never jumps */
  check(now: number): void {
    const lag = this.#checkedAt === undefined ? 0 : now - this.#checkedAt - lagCheckMs;
    this.#checkedAt = now;
    this.#late = lag > this.#lagMsMax ? this.#late + 1 : 0;
  }

  get isTooLong(): boolean {
    return this.#late >= lateChecksMin;
  }
}
