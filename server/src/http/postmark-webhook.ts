// The door for Postmark's news, which could suppress any address: credentials are asked for before the body is read.
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Clock } from "../clock.ts";
import { Fault } from "../fault.ts";
import { readPostmarkEvent } from "../mail/postmark-events.ts";
import type { Metrics } from "../observe/metrics.ts";
import { inputRefused } from "../rpc/failure.ts";
import { secretCheck } from "../secrets.ts";
import type { Store } from "../storage/store.ts";
import { requireJson } from "./body/content-type.ts";
import type { countWrongPasswords } from "./gate/guard.ts";

/** Events of bounces carry the mail that bounced; a refused one would never suppress its address. */
const eventBytesMax = 1024 * 1024;

export interface WebhookPassword {
  readonly credentials: { readonly user: string; readonly password: string };
  readonly judgePassword: ReturnType<typeof countWrongPasswords>;
}

interface WebhookOptions extends WebhookPassword {
  readonly store: Pick<Store, "suppress">;
  readonly clock: Clock;
  readonly metrics: Pick<Metrics, "mailNews">;
}

/** Adds `POST /webhooks/postmark`. JSON bodies are parsed by the scope around it. */
export function postmarkWebhook(app: FastifyInstance, options: WebhookOptions): void {
  const { store, clock, metrics } = options;
  const requirePassword = passwordOf(options);

  app.route({
    method: "POST",
    url: "/webhooks/postmark",
    bodyLimit: eventBytesMax,
    onRequest: async (request, reply) => {
      await requirePassword(request, reply);
      requireJson(request.headers);
    },
    handler: async (request) => {
      if (request.body === undefined) throw new Fault("bodyEmpty");
      const news = readPostmarkEvent(request.body, clock.now());
      if (news.result === "malformed") throw inputRefused(news.error);
      if (news.result === "ignored") {
        metrics.mailNews.inc({ reason: "none", result: "ignored" });
        return { result: "ignored" };
      }
      const { change } = news;
      // Old or repeated news is answered with 200 too, or Postmark would send it again.
      const result = (await store.suppress(change)) ? "noted" : "known";
      metrics.mailNews.inc({ reason: change.reason ?? "lifted", result });
      return { result };
    },
  });
}

/** Makes the check of a webhook's password. The check throws `unauthorised` for a wrong one or none. */
export function passwordOf({ credentials, judgePassword }: WebhookPassword) {
  const isRight = secretCheck(`${credentials.user}:${credentials.password}`);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { authorization } = request.headers;
    const right = isRight(readBasic(authorization));
    if (authorization !== undefined) judgePassword(request.raw, right);
    if (right) return;
    // 401 and not 403, at which Postmark stops trying for good: a mistake in the settings should heal.
    reply.header("www-authenticate", 'Basic realm="webhook", charset="UTF-8"');
    throw new Fault("unauthorised");
  };
}

// `user:password` as it was sent; empty when there is none.
function readBasic(header: string = ""): Buffer {
  const encoded = /^basic +([A-Za-z0-9+/=_-]+) *$/i.exec(header)?.[1] ?? "";
  return Buffer.from(encoded, "base64");
}
