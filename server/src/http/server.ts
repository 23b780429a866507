// The HTTP server: limits and time-outs, what every request gets, and the doors. It knows the order of these things and
// none of their details.
import { randomUUID } from "node:crypto";
import cors from "@fastify/cors";
import { bytesMax } from "@submissions/shared/limits";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { Deps } from "../deps.ts";
import { Fault } from "../fault.ts";
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { CallCounter } from "../rpc/context.ts";
import type { CallCounts } from "../storage/call-counts.ts";
import { altchaChallenge, challengesFactor } from "./altcha-challenge.ts";
import { takeJson } from "./body/whole-body.ts";
import { answerClientError } from "./client-error.ts";
import { drain } from "./body/drain.ts";
import type { Draining } from "./gate/draining.ts";
import { answerExpectations } from "./gate/expectation.ts";
import { refuse } from "./fault-reply.ts";
import { clientAddressReader, type TrustedProxies } from "./gate/client-address.ts";
import { Guard } from "./gate/rate-limit.ts";
import { Overload, type OverloadLimits } from "./gate/overload.ts";
import { healthRoutes } from "./health.ts";
import { followedLinksFactor, newsletterPages } from "./pages/newsletter.ts";
import { openApiRoutes } from "./openapi/routes.ts";
import { answerWithPages } from "./pages/page-answer.ts";
import { postmarkWebhook, type WebhookCredentials } from "./webhook.ts";
import { openRateLimiter, type RateLimit } from "./gate/rate-limiter.ts";
import { observeRequests } from "./request-log.ts";
import { restDoor } from "./rest.ts";
import { rpcDoor } from "./rpc.ts";
import { findFormsBundle } from "./pages/assets.ts";
import { siteRoutes } from "./pages/routes.ts";
import { siteOf, type Site } from "./pages/site.ts";
import { refuseUnknownAddresses } from "./gate/unknown-address.ts";

interface HttpOptions {
  readonly deps: Deps;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly draining: Draining;
  readonly corsOrigins: readonly string[];
  readonly rateLimit: RateLimit;
  /** Where calls are counted together with other processes; null: nowhere. */
  readonly callCounts: CallCounts | null;
  /** False: only health and metrics are answered. */
  readonly doors: boolean;
  readonly trustedProxy: TrustedProxies;
  /** What the process carries at once, unless it is the usual. */
  readonly overloadLimits?: OverloadLimits | undefined;
  /** Who may call Postmark's webhook; null: nobody, and there is none. */
  readonly webhook: WebhookCredentials | null;
  /** The version that the OpenAPI document names. */
  readonly version: string;
  /** Where the forms' script was built to; without it forms work without script. */
  readonly formsFolder?: string;
}

// Node checks time-outs at an interval, and swaps the two if the headers' is the longer one.
const timeouts = {
  headersMs: 10_000,
  /** Headers and body together: 5 MiB at 0.7 Mbit/s. */
  requestMs: 60_000,
  /** A connection on which nothing moves. Longer than any answer takes. */
  idleMs: 20_000,
  /** Longer than the idle time-outs of common proxies, so that they close first. */
  keepAliveMs: 72_000,
  checkMs: 1_000,
};

const everyAnswer = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
};

function headAnswer(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(everyAnswer);
  reply.header("x-request-id", request.id);
}

/** Builds the server; it listens to nothing yet. */
export async function buildHttp(options: HttpOptions): Promise<FastifyInstance> {
  const { deps, log, metrics, draining } = options;
  const app: FastifyInstance = Fastify({
    logger: false,
    genReqId: () => randomUUID(),
    bodyLimit: bytesMax.json,
    requestTimeout: timeouts.requestMs,
    connectionTimeout: timeouts.idleMs,
    keepAliveTimeout: timeouts.keepAliveMs,
    http: {
      headersTimeout: timeouts.headersMs,
      connectionsCheckingInterval: timeouts.checkMs,
      maxHeaderSize: bytesMax.headers,
      requireHostHeader: false,
    },
    return503OnClosing: false,
    clientErrorHandler: answerClientError,
    routerOptions: { maxParamLength: 500 },
    // No hook runs for an address that the router cannot read.
    frameworkErrors: (error, request, reply) => {
      headAnswer(request, reply);
      refuse(request, reply, error);
    },
  });
  answerExpectations(app);
  app.removeAllContentTypeParsers();
  takeJson(app);
  app.setErrorHandler((error, request, reply) => refuse(request, reply, error));

  observeRequests(app, log, metrics);
  app.addHook("onRequest", (request, reply, done) => {
    headAnswer(request, reply);
    // RFC 9112 3.2; Node would refuse it without a word.
    const isNameless = request.raw.httpVersion === "1.1" && request.headers.host === undefined;
    done(isNameless ? new Fault("requestMalformed") : undefined);
  });
  // Before the first hook that refuses: a page of an allowed origin may read refusals too.
  if (options.corsOrigins.length > 0) await app.register(cors, corsOptions(options.corsOrigins));
  const site = openSite(options);
  answerWithPages(app, site);
  // A request that was answered before its body was read: let the client finish, within bounds.
  app.addHook("onResponse", (request, _reply, done) => {
    drain(request.raw);
    done();
  });
  refuseUnknownAddresses(app);
  draining.guard(app);
  new Overload(metrics, options.overloadLimits).guard(app);

  healthRoutes(app, {
    log,
    metrics,
    draining,
    checks: { store: () => deps.store.checkReadiness(), vault: () => deps.vault.checkReadiness() },
  });
  if (options.doors) await openDoors(app, options, site);
  return app;
}

async function openDoors(app: FastifyInstance, options: HttpOptions, site: Site): Promise<void> {
  const { deps, metrics, callCounts } = options;
  openApiRoutes(app, {
    publicUrl: () => deps.mail.publicUrl,
    version: options.version,
    proofOfWork: deps.proofOfWork !== null,
  });
  const addressOf = clientAddressReader(options.trustedProxy);
  const guardOf = (name: string, factor: number) => {
    const limit = { ...options.rateLimit, max: options.rateLimit.max * factor };
    return new Guard(limit, addressOf, openRateLimiter(name, limit, callCounts));
  };
  if (deps.proofOfWork !== null) {
    const guard = guardOf("challenges", challengesFactor);
    altchaChallenge(app, { proofOfWork: deps.proofOfWork, clock: deps.clock, guard });
  }
  const door = { deps, guard: guardOf("calls", 1), count: countCall(metrics) };
  await app.register((scope) => restDoor(scope, door));
  await app.register((scope) => rpcDoor(scope, door));
  siteRoutes(app, site);
  await app.register((scope) =>
    newsletterPages(scope, { brand: site.brand, links: deps, guard: guardOf("links", followedLinksFactor) }),
  );
  if (options.webhook !== null) {
    postmarkWebhook(app, { credentials: options.webhook, store: deps.store, clock: deps.clock, metrics });
  }
}

function openSite({ deps, log, doors, formsFolder }: HttpOptions): Site {
  const bundle = formsFolder === undefined || !doors ? null : findFormsBundle(formsFolder);
  if (formsFolder !== undefined && doors && bundle === null)
    log.warn({}, "the forms' script was not built (npm run build): forms work without it");
  return siteOf({ brand: deps.mail.brand, intake: deps, bundle });
}

const countCall =
  (metrics: Metrics): CallCounter =>
  (procedure, door, code) =>
    metrics.submissions.inc({ procedure, door, code });

const corsOptions = (origins: readonly string[]) => ({
  origin: [...origins],
  methods: ["GET", "POST"],
  allowedHeaders: ["content-type", "trpc-accept", "idempotency-key"],
  exposedHeaders: [
    "x-request-id",
    "retry-after",
    "idempotency-replayed",
    "ratelimit-limit",
    "ratelimit-remaining",
    "ratelimit-reset",
  ],
  maxAge: 600,
});
