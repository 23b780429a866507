// The HTTP server: what every request gets, and the gates and doors in their order. It knows none of their details.
import type { RequestListener, Server } from "node:http";
import type { Socket } from "node:net";
import { altchaChallengePath } from "@submissions/shared/hidden-fields";
import { bytesMax } from "@submissions/shared/limits";
import Fastify, { type FastifyInstance } from "fastify";
import type { CataloguePackage } from "../config/catalogue.ts";
import type { Config } from "../config/config.ts";
import type { Intake } from "../intake/submit.ts";
import { createServer } from "../node-http.ts";
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { Traces } from "../observe/traces.ts";
import type { Vault } from "../resumes/vault.ts";
import type { Procedure } from "../rpc/procedure.ts";
import type { RateLimitStore } from "../storage/rate-limit-store.ts";
import type { Store } from "../storage/store.ts";
import { bodyTurns } from "./body/body-turns.ts";
import { takeJson } from "./body/content-type.ts";
import { keepConnections, watchBodies } from "./body/incoming-body.ts";
import type { DoorOptions } from "./call.ts";
import { answerClientError, refuseConnect } from "./client-error.ts";
import { beginExchanges } from "./exchange.ts";
import { refuse } from "./fault-reply.ts";
import { ClientAddresses } from "./gate/client-address.ts";
import type { Draining } from "./gate/draining.ts";
import { countWrongPasswords, foreignSites, Guard } from "./gate/guard.ts";
import { shedLoad } from "./gate/overload.ts";
import { Traffic } from "./gate/traffic.ts";
import { type KnownAddress, methodsAt, refuseUnknownAddresses } from "./gate/unknown-address.ts";
import { allowOrigins, headAnswers, originForm, refuseMalformed, requestIdOf } from "./headers.ts";
import { healthRoutes } from "./health.ts";
import { httpLimits, type HttpLimits, rateLimitFactors } from "./limits.ts";
import { Observer } from "./observed-requests.ts";
import { openApiRoutes } from "./openapi/routes.ts";
import { findFormsBundle } from "./pages/assets.ts";
import { newsletterPages } from "./pages/newsletter.ts";
import { answerWithPages } from "./pages/page-answer.ts";
import { siteRoutes } from "./pages/site-routes.ts";
import { siteOf } from "./pages/site.ts";
import { restDoor } from "./rest.ts";
import { rpcDoor } from "./rpc.ts";
import { postmarkWebhook } from "./postmark-webhook.ts";

export interface HttpOptions extends Omit<Config, "packages" | "publicUrl" | "vault" | "log"> {
  readonly procedures: readonly Procedure[];
  readonly intake: Intake;
  readonly store: Pick<Store, "identity" | "checkReadiness" | "suppress" | "checkLink" | "followLink">;
  readonly vault: Pick<Vault, "stagingFolder" | "hasRoom" | "checkReadiness">;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly traces: Traces | null;
  readonly draining: Draining;
  readonly packages: readonly CataloguePackage[];
  /** The base address of this service. Asked for once it listens, because it may depend on the port. */
  readonly publicUrl: () => string;
  /** Where calls are counted together with other processes; null: nowhere. */
  readonly rateLimitStore: RateLimitStore | null;
  readonly version: string;
  /** Where the forms' script was built to; without it forms work without script. */
  readonly formsFolder: string;
  readonly limits?: Partial<HttpLimits> | undefined;
}

// zod checks inputs and receipts. Fastify loads 120 files of compilers unless it is given others.
const noSchemas = (): never => {
  throw new Error("A route has a Fastify schema.");
};

/** Builds the server, which listens to nothing yet, and what routes from elsewhere share with its own. */
export async function buildHttp(options: HttpOptions) {
  const { procedures, intake, store, vault, metrics, draining, corsOrigins, publicUrl, rateLimitStore } = options;
  const { proofOfWork, clock } = intake;
  const limits = limitsOf(options);
  const addresses = new ClientAddresses(options.trustedProxy);
  const traffic = new Traffic(limits, addresses, (uploads) => metrics.uploadsInFlight.set(uploads));
  const observer = new Observer({ ...options, procedures: new Set(procedures.map(({ path }) => path)) });
  let ownOrigin: string | undefined;
  const origin = () => (ownOrigin ??= new URL(publicUrl()).origin);
  const bundle = options.mode === "worker" ? null : findFormsBundle(options.formsFolder);
  const site = siteOf({ ...options, origin, bundle });
  const known: KnownAddress[] = [];
  const connections = { traffic, observer, methodsAt: (target: string) => methodsAt(known, originForm(target)) };
  const app: FastifyInstance = Fastify({
    logger: false,
    genReqId: requestIdOf,
    bodyLimit: bytesMax.json,
    serverFactory: (handler) => nodeServer(traffic, limits, handler),
    clientErrorHandler: (error, socket) => answerClientError(error, socket, connections),
    return503OnClosing: false,
    rewriteUrl: ({ url = "/" }) => originForm(url),
    // The lists of batches are as long as an address can be.
    routerOptions: { maxParamLength: bytesMax.headers },
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
  });
  app.server.on("connect", (request, socket: Socket) => refuseConnect(request, socket, connections));
  app.removeAllContentTypeParsers();
  const awaitTurn = bodyTurns(addresses, limits.bodyTurnMsMax);
  takeJson(app, awaitTurn);
  app.setErrorHandler((error, request, reply) => refuse(request, reply, error));

  // The gates, in the order in which requests pass them. What every answer has comes first, so that refusals have it too.
  beginExchanges(app, observer);
  watchBodies(app, { traffic, limits, observer });
  headAnswers(app);
  await allowOrigins(app, corsOrigins);
  answerWithPages(app, site);
  refuseMalformed(app, traffic);
  refuseUnknownAddresses(app, known);
  draining.guard(app, traffic);
  keepConnections(app);
  shedLoad(app, traffic, limits.loopLagMsMax);

  // Each door has its own count: guesses at one do not lock a client out of the other.
  const passwords = () => countWrongPasswords(addresses, limits.wrongPasswordsMax);
  healthRoutes(app, { ...options, judgePassword: passwords(), addresses });
  const isForeign = foreignSites({ origin, corsOrigins, addresses });
  /** A guard of its own. @param shared where calls are counted together with other processes; null: nowhere */
  const guardOf = (name: keyof typeof rateLimitFactors, shared: RateLimitStore | null) => {
    const limit = { ...options.rateLimit, max: options.rateLimit.max * rateLimitFactors[name] };
    return new Guard({ name, limit, addresses, isForeign, shared });
  };
  const http = { server: app, addresses, guardOf, passwords, awaitTurn, limits };
  // A worker answers health and metrics only.
  if (options.mode === "worker") return http;

  if (bundle === null) options.log.warn("the forms' script was not built (npm run build): forms work without it");
  openApiRoutes(app, { publicUrl, site, version: options.version, proofOfWork: proofOfWork !== null });
  if (proofOfWork !== null) {
    // Making a challenge costs as much as a guess.
    const onRequest = guardOf("challenges", rateLimitStore).hook();
    app.get(altchaChallengePath, { onRequest }, () => proofOfWork.challenge(clock.now()));
  }
  const door: DoorOptions = { procedures, intake, vault, guard: guardOf("calls", rateLimitStore), awaitTurn, limits };
  beginAtZero(metrics, procedures);
  await app.register((scope) => restDoor(scope, door));
  await app.register((scope) => rpcDoor(scope, door));
  siteRoutes(app, site);
  const guard = guardOf("links", rateLimitStore);
  await app.register((scope) => newsletterPages(scope, { site, clock, store, guard }));
  if (options.postmarkWebhook !== null) {
    const credentials = options.postmarkWebhook;
    postmarkWebhook(app, { credentials, judgePassword: passwords(), store, clock, metrics });
  }
  return http;
}

function limitsOf({ limits: own, mailDeadlineMs, rateLimit }: HttpOptions): HttpLimits {
  // Half of what a client may submit in a window may be on its way at once. Raising the rate limit raises this too.
  const uploadsPerClientMax = Math.min(Math.max(8, Math.floor(rateLimit.max / 2)), httpLimits.uploadsPerClientMax);
  const limits = { ...httpLimits, uploadsPerClientMax, ...own };
  // The mail is waited for after storing, and the connection is cut when nothing was sent for a while.
  const beforeCut = Math.max(1_000, limits.idleMs - limits.checkMs - mailDeadlineMs);
  return { ...limits, answerMsMax: Math.min(limits.answerMsMax, beforeCut) };
}

function nodeServer(traffic: Traffic, limits: HttpLimits, handler: RequestListener): Server {
  const server = createServer(
    {
      headersTimeout: limits.headersMs,
      // How long a body may take follows from its bytes (body/incoming-body.ts).
      requestTimeout: 0,
      keepAliveTimeout: limits.keepAliveMs,
      connectionsCheckingInterval: limits.checkMs,
      maxHeaderSize: bytesMax.headers,
      // Refused here, in the words of the table.
      requireHostHeader: false,
    },
    (request, response) => traffic.enter(request, response, handler),
  );
  server.timeout = limits.idleMs;
  // A client may close its side once it has sent its request. Without this Node would end the connection before the answer.
  Object.assign(server, { httpAllowHalfOpen: true });
  traffic.watch(server);
  return server;
}

// Prometheus sees no increase in a series that begins with its first event. Alerts ask for these.
function beginAtZero({ submissions }: Metrics, procedures: readonly Procedure[]): void {
  const codes = ["OK", "SPAM", "TOO_MANY_REQUESTS", "INTERNAL_SERVER_ERROR", "SERVICE_UNAVAILABLE"];
  for (const { path: procedure } of procedures) {
    for (const door of ["rest", "rpc"]) for (const code of codes) submissions.inc({ procedure, door, code }, 0);
  }
}
