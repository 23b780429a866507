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
  const isLate = watchLag(loopLagMsMax);
  let isBehind = false;
  app.addHook("onRequest", (request, reply, done) => {
    const isBusy = isBehind || traffic.isTooMuch(request.raw);
    const isTaken = !isBusy && (!isUpload(request) || traffic.takeUpload(request.raw, reply.raw));
    if (isTaken || probePaths.has(request.routeOptions.url)) return done();
    done(new Fault("overloaded", { retryAfterSeconds }));
  });
  const timer = setInterval(() => (isBehind = isLate(performance.now())), lagCheckMs).unref();
  app.addHook("onClose", (_app, done) => {
    clearInterval(timer);
    done();
  });
}

const isUpload = ({ headers }: FastifyRequest): boolean =>
  /^\s*multipart\/form-data/i.test(headers["content-type"] ?? "");

/** Tells at each check whether the loop cannot keep up. @returns a function of milliseconds of a clock that never jumps */
export function watchLag(lagMsMax: number): (now: number) => boolean {
  let dueAt: number | undefined;
  let late = 0;
  return (now) => {
    late = now - (dueAt ?? now) > lagMsMax ? late + 1 : 0;
    dueAt = now + lagCheckMs;
    return late >= lateChecksMin;
  };
}
