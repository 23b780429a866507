// Observes requests: one log line, one measurement and, if anything is traced, one trace for each. The route's pattern is
// logged, never the URL.
import { faults, type FaultName } from "@submissions/shared/faults";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { CallWatch } from "../intake/call.ts";
import type { Log, LogFacts } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { RequestTrace, Traces } from "../observe/traces.ts";
import { probePaths } from "./health.ts";

interface Observers {
  readonly log: Log;
  readonly metrics: Pick<Metrics, "requests" | "refusals">;
  readonly traces: Traces | null;
}

/** Must be added before all other hooks: a trace begins with the first of them. */
export function observeRequests(app: FastifyInstance, { log, metrics, traces }: Observers): void {
  app.decorateRequest("failure", null);
  app.decorateRequest("trace", null);
  app.decorateRequest("calls", null);
  app.decorateRequest("begunAt", 0);
  app.addHook("onRequest", (request, reply, done) => {
    request.begunAt = performance.now();
    const isTraced = traces !== null && !probePaths.has(routeOf(request));
    if (isTraced) request.trace = traces.begin(request.begunAt, request.headers.traceparent);
    // It comes after every end of an answer, also when the client went away.
    reply.raw.once("close", () => ended(request, reply));
    done();
  });

  function ended(request: FastifyRequest, reply: FastifyReply): void {
    const route = routeOf(request);
    const { raw } = reply;
    const cutAs = request.raw.refusedAs;
    if (cutAs !== undefined) request.failure = { fault: cutAs, error: undefined, before: null };
    const status = cutAs === undefined ? reply.statusCode : faults[cutAs].status;
    // An early refusal waits for the rest of the body before it ends (body/incoming-body.ts). Its client may leave meanwhile.
    const isRefused = cutAs !== undefined || (request.failure !== null && raw.headersSent && !raw.writableEnded);
    if (!raw.writableFinished && !isRefused) {
      log.info(factsOf(request, { route }), "client went away");
      return endTrace(request, null);
    }
    const ms = performance.now() - request.begunAt;
    metrics.requests.observe({ route, status: `${Math.trunc(status / 100)}xx` }, ms / 1000);
    for (let { failure } = request; failure !== null; failure = failure.before)
      metrics.refusals.inc({ route, fault: failure.fault });
    const isRoutine =
      probePaths.has(route) || (request.failure === null && request.calls?.every(({ isRead }) => isRead));
    const level = status >= 500 ? "error" : isRoutine === true ? "debug" : "info";
    log[level](factsOf(request, { route, status, ms: Math.round(ms * 10) / 10 }), "answered");
    endTrace(request, status);
  }
}

export type LogRefusal = ReturnType<typeof refusalLog>;

/** Logs and counts a refusal of what never became a request: without a route. */
export const refusalLog =
  ({ log, metrics }: Pick<Observers, "log" | "metrics">) =>
  (requestId: string, fault: FaultName): void => {
    metrics.refusals.inc({ route: unknownRoute, fault });
    log.info({ requestId, route: unknownRoute, status: faults[fault].status, fault }, "answered");
  };

/** Follows a call: the time of each stage goes to the metrics, and to the trace of its request if it has one. */
export function watchCall(
  { stages }: Pick<Metrics, "stages">,
  procedure: string,
  request: FastifyRequest,
  reply: FastifyReply,
): CallWatch {
  const { trace } = request;
  const told: CallFacts = { procedure };
  (request.calls ??= []).push(told);
  let since = request.begunAt;
  return {
    ended(stage) {
      const now = performance.now();
      stages.observe({ procedure, stage }, (now - since) / 1000);
      trace?.stage(procedure, stage, since, now);
      since = now;
    },
    stored(reference, result) {
      Object.assign(told, { reference, result });
      if (result === "repeated") reply.header("idempotency-replayed", "true");
    },
    mailed: (mails) => trace?.expect(mails),
  };
}

const unknownRoute = "unknown";

const routeOf = (request: FastifyRequest): string => request.routeOptions.url ?? unknownRoute;

function factsOf({ id, method, failure, calls }: FastifyRequest, more: LogFacts): LogFacts {
  const ofCalls = (["procedure", "reference", "result"] as const).flatMap((name) => {
    const texts = calls?.flatMap((call) => call[name] ?? []) ?? [];
    return texts.length === 0 ? [] : [[name, texts.join()] as const];
  });
  return {
    requestId: id,
    method,
    ...more,
    ...Object.fromEntries(ofCalls),
    ...(failure === null ? {} : { fault: failure.fault }),
    ...(failure?.error === undefined ? {} : { err: failure.error }),
  };
}

function endTrace(request: FastifyRequest, status: number | null): void {
  const { trace, method, id, failure } = request;
  if (trace === null) return;
  request.trace = null;
  trace.end({ method, route: routeOf(request), status, requestId: id, fault: failure?.fault ?? null });
}

interface CallFacts {
  /** Its name is known: a stranger's text would not be logged. */
  readonly procedure: string;
  /** True for a call of the console that changes nothing. Open consoles repeat such calls without end. */
  readonly isRead?: boolean;
  readonly reference?: string;
  readonly result?: string;
}

declare module "node:http" {
  interface IncomingMessage {
    /** What it was refused with on its bare connection, where no hook sees the answer. */
    refusedAs?: FaultName;
  }
}

declare module "fastify" {
  interface FastifyRequest {
    /** By `performance.now()`. */
    begunAt: number;
    /** The calls that are known so far. */
    calls: CallFacts[] | null;
    trace: RequestTrace | null;
  }
}
