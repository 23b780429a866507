// What orchestrators and Prometheus ask: alive, ready, and in which state.
import type { FastifyInstance } from "fastify";
import { Fault } from "../fault.ts";
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";
import { shareAnswer } from "../share-answer.ts";
import { secretCheck, type countWrongPasswords } from "./gate/credentials.ts";

interface HealthOptions {
  readonly log: Log;
  readonly metrics: Pick<Metrics, "render" | "contentType">;
  readonly draining: { readonly started: boolean };
  /** Everything that must work for a submission to be taken. */
  readonly checks: Readonly<Record<string, () => Promise<{ readonly ready: boolean; readonly reason?: string }>>>;
  /** The Bearer token that readers of the metrics must send; null: none. */
  readonly metricsToken: string | null;
  readonly judgePassword: ReturnType<typeof countWrongPasswords>;
}

/** Orchestrators and monitors ask these every few seconds. They need an answer however busy the process is. */
export const probePaths: ReadonlySet<string> = new Set(["/healthz", "/readyz", "/metrics"]);

// Each check writes to the disk, and strangers may ask.
const keptMs = 1_000;

export function healthRoutes(app: FastifyInstance, options: HealthOptions): void {
  const { metrics, metricsToken, judgePassword, draining } = options;
  app.get("/healthz", () => ({ status: "ok" }));

  const failedLately = shareAnswer(() => failedChecks(options), keptMs);
  app.get("/readyz", async (_request, reply) => {
    if (draining.started) return reply.code(503).header("retry-after", 5).send({ status: "draining" });
    const failed = await failedLately();
    if (failed.length === 0) return { status: "ready" };
    return reply.code(503).header("retry-after", 5).send({ status: "unavailable", failed });
  });

  const isReader = bearerCheck(metricsToken);
  app.get("/metrics", async (request, reply) => {
    const right = isReader(request.headers.authorization);
    if (request.headers.authorization !== undefined && metricsToken !== null) await judgePassword(request.raw, right);
    if (!right) {
      reply.header("www-authenticate", 'Bearer realm="metrics"');
      throw new Fault("unauthorised");
    }
    reply.type(metrics.contentType);
    return metrics.render();
  });
}

function bearerCheck(token: string | null): (authorization: string | undefined) => boolean {
  if (token === null) return () => true;
  const isToken = secretCheck(token);
  return (authorization = "") => isToken(/^bearer +(\S+) *$/i.exec(authorization)?.[1] ?? "");
}

async function failedChecks({ checks, log }: HealthOptions): Promise<string[]> {
  const reports = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => ({ name, ...(await check()) })),
  );
  const failed = reports.filter(({ ready }) => !ready);
  for (const { name, reason } of failed) log.warn({ result: name, ...(reason ? { code: reason } : {}) }, "not ready");
  return failed.map(({ name }) => name);
}
