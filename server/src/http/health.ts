// What orchestrators and Prometheus ask: alive, ready, and in which state.
import { isIP } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import { Fault } from "../fault.ts";
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { Vault } from "../resumes/vault.ts";
import { secretCheck, sign } from "../secrets.ts";
import { shareAnswer } from "../share-answer.ts";
import type { Store } from "../storage/store.ts";
import type { ClientAddresses } from "./gate/client-address.ts";
import type { countWrongPasswords } from "./gate/guard.ts";

type ReadinessOf = Pick<Vault, "checkReadiness">;

interface HealthOptions {
  readonly log: Log;
  readonly metrics: Pick<Metrics, "render" | "contentType" | "vaultReady">;
  readonly draining: { readonly started: boolean };
  /** Without the store no submission is taken; without the vault uploads alone are refused. */
  readonly store: ReadinessOf & Pick<Store, "identity">;
  readonly vault: ReadinessOf;
  readonly metricsToken: string | null;
  readonly publicUrl: () => string;
  readonly judgePassword: ReturnType<typeof countWrongPasswords>;
  readonly addresses: ClientAddresses;
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

/** A vault that is silent for longer counts as away: balancers give up after a second or two. */
const vaultMsMax = 500;

export function healthRoutes(app: FastifyInstance, options: HealthOptions): void {
  const { metrics, metricsToken, publicUrl, judgePassword, draining, addresses } = options;
  app.get("/healthz", () => ({ status: "ok" }));

  const isStoreReady = shareAnswer(checkOf(options, "store"), keptMs);
  const lookAtVault = shareAnswer(checkOf(options, "vault"), keptMs);
  const isVaultReady = () => Promise.race([lookAtVault(), sleep(vaultMsMax, false, { ref: false })]);
  app.get("/readyz", async (_request, reply) => {
    const unready = (body: object) => reply.code(503).header("retry-after", 5).send(body);
    if (draining.started) return unready({ status: "draining" });
    const [store, hasVault] = await Promise.all([isStoreReady(), isVaultReady()]);
    const vault = hasVault ? "ready" : "unavailable";
    return store ? { status: "ready", vault } : unready({ status: "unavailable", failed: ["store"], vault });
  });

  // Who reads the store may ask how a request arrives here.
  const isDoctor = bearerCheck(doctorToken(options.store.identity));
  app.get(doctorPath, ({ headers, raw }): Arrived => {
    if (!isDoctor(headers.authorization)) throw new Fault("notFound");
    const isProxied = addresses.keysOfPeer(raw.socket) === null;
    const forwardedFor = headers["x-forwarded-for"]?.toString() ?? null;
    return { client: addresses.keysOf(raw).rate, isProxied, forwardedFor };
  });

  const isReader = bearerCheck(metricsToken);
  app.get("/metrics", async (request, reply) => {
    if (metricsToken === null && !isOurs(request.headers.host, publicUrl())) throw new Fault("hostUnknown");
    const right = isReader(request.headers.authorization);
    if (request.headers.authorization !== undefined && metricsToken !== null) judgePassword(request.raw, right);
    if (!right) {
      reply.header("www-authenticate", 'Bearer realm="metrics"');
      throw new Fault("unauthorised");
    }
    metrics.vaultReady.set((await isVaultReady()) ? 1 : 0);
    reply.type(metrics.contentType);
    return metrics.render();
  });
}

// Whether a name that a service is asked by cannot be that of another site. Such a site could have its name lead here (DNS
// rebinding), and its page would then read in a visitor's browser what only the network protects.
function isOurs(host: string | undefined, publicUrl: string): boolean {
  const name = URL.parse(`http://${host ?? ""}`)?.hostname;
  if (name === undefined) return false;
  return !name.includes(".") || isIP(name) !== 0 || name === new URL(publicUrl).hostname;
}

function bearerCheck(token: string | null): (authorization: string | undefined) => boolean {
  if (token === null) return () => true;
  const isToken = secretCheck(token);
  return (authorization = "") => isToken(/^bearer +(\S+) *$/i.exec(authorization)?.[1] ?? "");
}

/** Says in the log when the answer changes, and not for each probe of an outage. */
function checkOf({ log, ...checked }: HealthOptions, name: "store" | "vault"): () => Promise<boolean> {
  let latest = "";
  return async () => {
    const { ready, reason = "" } = await checked[name].checkReadiness();
    const state = ready ? "" : `unready ${reason}`;
    if (state !== latest && ready) log.info({ result: name }, "ready again");
    if (state !== latest && !ready) log.warn({ result: name, ...(reason && { code: reason }) }, "not ready");
    latest = state;
    return ready;
  };
}
