// What orchestrators and Prometheus ask: alive, ready, and in which state.
import type { FastifyInstance } from "fastify";
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";

interface HealthOptions {
  readonly log: Log;
  readonly metrics: Metrics;
  readonly draining: { readonly started: boolean };
  /** Whatever must work for a submission to be taken. */
  readonly checks: Readonly<Record<string, () => Promise<{ readonly ready: boolean; readonly reason?: string }>>>;
}

// Each check writes to the disk, and strangers may ask.
const keptMs = 1_000;

/** Adds `/healthz`, `/readyz` and `/metrics`. */
export function healthRoutes(app: FastifyInstance, options: HealthOptions): void {
  app.get("/healthz", () => ({ status: "ok" }));

  const failedLately = shared(() => failedChecks(options));
  app.get("/readyz", async (_request, reply) => {
    if (options.draining.started) return reply.code(503).header("retry-after", 5).send({ status: "draining" });
    const failed = await failedLately();
    if (failed.length === 0) return { status: "ready" };
    return reply.code(503).header("retry-after", 5).send({ status: "unavailable", failed });
  });

  app.get("/metrics", async (_request, reply) => {
    reply.type(options.metrics.contentType);
    return options.metrics.render();
  });
}

/** One answer for all who ask while it is worked out, or within {@link keptMs} of that. */
function shared<T>(ask: () => Promise<T>): () => Promise<T> {
  let latest: { readonly answer: Promise<T>; endedAt: number } | undefined;
  return () => {
    if (latest !== undefined && performance.now() - latest.endedAt < keptMs) return latest.answer;
    const asked = { answer: ask(), endedAt: Infinity };
    const end = () => void (asked.endedAt = performance.now());
    asked.answer.then(end, end);
    latest = asked;
    return asked.answer;
  };
}

async function failedChecks({ checks, log }: HealthOptions): Promise<string[]> {
  const reports = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => ({ name, ...(await check()) })),
  );
  const failed = reports.filter(({ ready }) => !ready);
  for (const { name, reason } of failed) log.warn({ result: name, ...(reason ? { code: reason } : {}) }, "not ready");
  return failed.map(({ name }) => name);
}
