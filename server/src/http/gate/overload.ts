// Sheds load: what the process cannot carry is answered 503 at once, its body unread. Waiting would time out all.
import type { FastifyInstance, FastifyRequest } from "fastify";
import { Fault } from "../../fault.ts";
import { probePaths } from "../health.ts";
import type { Traffic } from "./traffic.ts";

const lagCheckMs = 500;
// One stall (a garbage collection, a slow disk) says nothing; a loop that is late this often in a row cannot keep up.
const lateChecksMin = 3;
const retryAfterSeconds = 2;

export function shedLoad(app: FastifyInstance, traffic: Traffic, loopLagMsMax: number): void {
  const lag = new LoopLag(loopLagMsMax);
  app.addHook("onRequest", (request, reply, done) => {
    const isBusy = lag.isTooLong || traffic.isTooMuch(request.raw);
    const isTaken = !isBusy && (!isUpload(request) || traffic.takeUpload(request.raw, reply.raw));
    if (isTaken || probePaths.has(request.routeOptions.url)) return done();
    done(new Fault("overloaded", { retryAfterSeconds }));
  });
  const timer = setInterval(() => lag.check(performance.now()), lagCheckMs).unref();
  app.addHook("onClose", (_app, done) => {
    clearInterval(timer);
    done();
  });
}

const isUpload = ({ headers }: FastifyRequest): boolean =>
  /^\s*multipart\/form-data/i.test(headers["content-type"] ?? "");

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
