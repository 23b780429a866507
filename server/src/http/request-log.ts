// One log line and one measurement for each request. The route's pattern is logged, never the URL.
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Log, LogFacts } from "../observe/log.ts";
import { statusClass, type Metrics } from "../observe/metrics.ts";

// Probes come every few seconds and say nothing new.
export const quietRoutes: ReadonlySet<string> = new Set(["/healthz", "/readyz", "/metrics"]);

export function observeRequests(app: FastifyInstance, log: Log, metrics: Pick<Metrics, "requests" | "refusals">): void {
  const tellsMore = ["info", "debug", "trace"].includes(log.level);
  app.decorateRequest("failure", null);
  app.addHook("onResponse", (request, reply, done) => {
    const route = routeOf(request);
    const { statusCode: status, elapsedTime: ms } = reply;
    metrics.requests.of(route, statusClass(status)).observe(ms / 1000);
    for (let { failure } = request; failure !== null; failure = failure.before)
      metrics.refusals.of(route, failure.fault).add();
    const level = status >= 500 ? "error" : quietRoutes.has(route) ? "debug" : "info";
    if (level === "error" || tellsMore) {
      log[level](factsOf(request, { route, status, ms: Math.round(ms * 10) / 10 }), "answered");
    }
    done();
  });
  app.addHook("onRequestAbort", (request, done) => {
    log.info(factsOf(request, { route: routeOf(request) }), "client went away");
    done();
  });
}

function factsOf({ id, method, failure }: FastifyRequest, more: LogFacts): LogFacts {
  return {
    requestId: id,
    method,
    ...more,
    ...(failure === null ? {} : { fault: failure.fault }),
    ...(failure?.error === undefined ? {} : { err: failure.error }),
  };
}

export const routeOf = (request: FastifyRequest): string => request.routeOptions.url ?? "unknown";
