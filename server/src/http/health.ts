// What orchestrators and Prometheus ask: alive, ready, and in which state.
import type { FastifyInstance } from "fastify";
import { Fault } from "../fault.ts";
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";
import { secretCheck, sign } from "../secrets.ts";
import { shareAnswer } from "../share-answer.ts";
import type { ClientAddresses } from "./gate/client-address.ts";
import type { countWrongPasswords } from "./gate/guard.ts";

interface HealthOptions {
  readonly log: Log;
  readonly metrics: Pick<Metrics, "render" | "contentType">;
  readonly draining: { readonly started: boolean };
  /** Everything that must work for a submission to be taken. */
  readonly checks: Readonly<Record<string, () => Promise<{ readonly ready: boolean; readonly reason?: string }>>>;
  readonly metricsToken: string | null;
  readonly judgePassword: ReturnType<typeof countWrongPasswords>;
  readonly addresses: ClientAddresses;
  /** Of the store: who reads it may ask how a request arrives here. */
  readonly identity: string;
}

/** How a request arrived, for the command `doctor`: what the service makes of the headers of the proxy before it. */
export interface Arrived {
  /** The client, as limits count it. */
  readonly client: string;
  /** Whether the connection is that of a proxy, by `TRUST_PROXY`. */
  readonly isProxied: boolean;
  readonly forwardedFor: string | null;
}

export const doctorPath = "/doctor";
export const doctorToken = (identity: string): string => sign(identity, "doctor", "arrived");

/** Orchestrators and monitors ask these every few seconds. They need an answer however busy the process is. */
export const probePaths: ReadonlySet<string | undefined> = new Set(["/healthz", "/readyz", "/metrics"]);

// Each check writes to the disk, and strangers may ask.
const keptMs = 1_000;

export function healthRoutes(app: FastifyInstance, options: HealthOptions): void {
  const { metrics, metricsToken, judgePassword, draining, addresses } = options;
  app.get("/healthz", () => ({ status: "ok" }));

  const failedLately = shareAnswer(() => failedChecks(options), keptMs);
  app.get("/readyz", async (_request, reply) => {
    const failed = draining.started ? null : await failedLately();
    if (failed?.length === 0) return { status: "ready" };
    const body = failed === null ? { status: "draining" } : { status: "unavailable", failed };
    return reply.code(503).header("retry-after", 5).send(body);
  });

  const isDoctor = bearerCheck(doctorToken(options.identity));
  app.get(doctorPath, ({ headers, raw }): Arrived => {
    if (!isDoctor(headers.authorization)) throw new Fault("notFound");
    const isProxied = addresses.keysOfPeer(raw.socket) === null;
    const forwardedFor = headers["x-forwarded-for"]?.toString() ?? null;
    return { client: addresses.keysOf(raw).rate, isProxied, forwardedFor };
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
  for (const { name, reason } of failed) log.warn({ result: name, ...(reason && { code: reason }) }, "not ready");
  return failed.map(({ name }) => name);
}
