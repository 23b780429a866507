// The door for Postmark's news of addresses. It exists only where credentials are set; whoever has them could suppress
// any address, so they are asked for before a byte of the body is read.
import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { Fault } from "../fault.ts";
import { readWebhook } from "../mail/webhook.ts";
import type { Metrics } from "../observe/metrics.ts";
import { issuesOf } from "../rpc/failure.ts";
import type { Store } from "../storage/store.ts";
import { bodyKind } from "./body/content-type.ts";

/** Who may call the webhook. */
export interface WebhookCredentials {
  readonly user: string;
  readonly password: string;
}

/** Events of bounces carry the mail that bounced; a refused one would never suppress its address. */
const eventBytesMax = 1024 * 1024;

interface WebhookOptions {
  readonly credentials: WebhookCredentials;
  readonly store: Pick<Store, "suppress">;
  readonly clock: { now(): number };
  readonly metrics: Pick<Metrics, "mailNews">;
}

/** Adds `POST /webhooks/postmark`. JSON bodies are parsed by the scope around it. */
export function postmarkWebhook(app: FastifyInstance, { credentials, store, clock, metrics }: WebhookOptions): void {
  const expected = digest(`${credentials.user}:${credentials.password}`);

  app.route({
    method: "POST",
    url: "/webhooks/postmark",
    bodyLimit: eventBytesMax,
    onRequest: async (request, reply) => {
      if (timingSafeEqual(digest(readBasic(request.headers.authorization)), expected)) {
        bodyKind(request.headers, ["application/json"]);
        return;
      }
      // 401 and not 403, at which Postmark stops trying for good: a mistake in the settings should heal.
      reply.header("www-authenticate", 'Basic realm="webhook", charset="UTF-8"');
      throw new Fault("unauthorised");
    },
    handler: async (request) => {
      if (request.body === undefined) throw new Fault("bodyEmpty");
      const news = readWebhook(request.body, clock.now());
      if (news.result === "malformed") throw malformed(news.error);
      if (news.result === "ignored") {
        metrics.mailNews.inc({ reason: "none", result: "ignored" });
        return { result: "ignored" };
      }
      const { change } = news;
      // What is old or was told before is answered alike, or Postmark would tell it again.
      const result = (await store.suppress(change)) ? "noted" : "known";
      metrics.mailNews.inc({ reason: change.reason ?? "lifted", result });
      return { result };
    },
  });
}

function malformed(error: Parameters<typeof issuesOf>[0]): Fault {
  const issues = issuesOf(error);
  return issues.some(({ path }) => path.length === 0)
    ? new Fault("bodyNotObject")
    : new Fault("fieldsInvalid", { issues });
}

// `user:password` as it was sent, or nothing that anybody could have set.
function readBasic(header: string | undefined): Buffer {
  const encoded = /^basic +([A-Za-z0-9+/=_-]+) *$/i.exec(header ?? "")?.[1] ?? "";
  return Buffer.from(encoded, "base64");
}

// Both sides at one length, so that the comparison tells nothing, not even that.
const digest = (value: string | Buffer): Buffer => createHash("sha256").update(value).digest();
