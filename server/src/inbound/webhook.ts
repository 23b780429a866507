// The door for mails from Postmark. It exists only where credentials are set; they are asked for before a byte of the body is
// read. Postmark tries again what is not answered with 200, ten times in ten hours, and then keeps it as an "Inbound Error".
import { hash } from "node:crypto";
import type { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import { Fault } from "../fault.ts";
import { requireJson } from "../http/body/content-type.ts";
import { passwordOf, type WebhookPassword } from "../http/postmark-webhook.ts";
import type { InboundMail } from "./inbound-mail.ts";
import { MalformedMail } from "./postmark-mail.ts";
import { readPostmark } from "./read-mail.ts";
import { VaultUnavailable } from "../resumes/vault.ts";
import { StorageUnavailable } from "../storage/store.ts";
import { type Receiving, receiveMail, setAside } from "./receive.ts";

/** Postmark takes mails of 35 MB, and Base64 adds a third. */
const bodyBytesMax = 50 * 1024 * 1024;
/** Of a body, in one turn of the event loop, so that others need not wait for much of it. */
const turnBytes = 256 * 1024;
/** Bodies in memory at once. */
const atOnceMax = 2;
const busyRetrySeconds = 30;
/** So often a mail fails, while store and vault work, before operators see it among the unmatched mails. */
const triesMax = 3;
/** Failed mails that are counted; beyond it counting begins anew. */
const failuresMax = 1_000;

interface InboundWebhookOptions extends WebhookPassword {
  readonly receiving: Receiving;
}

/** Adds `POST /webhooks/postmark/inbound`, in a scope of its own: its bodies are not parsed by the event loop. */
export async function inboundWebhook(app: FastifyInstance, options: InboundWebhookOptions): Promise<void> {
  const { receiving } = options;
  const requirePassword = passwordOf(options);
  let underWay = 0;
  const failures = new Map<string, number>();

  /** The mail is refused all the same: Postmark keeps it, and can hand it over again when the cause is mended. */
  async function noteFailure(mail: InboundMail): Promise<void> {
    const { messageId, from, subject, date } = mail;
    const key = hash("sha256", JSON.stringify([messageId, from, subject, date]));
    if (failures.size >= failuresMax) failures.clear();
    const tries = (failures.get(key) ?? 0) + 1;
    failures.set(key, tries);
    if (tries < triesMax) return;
    const headers = [
      `From: <${from[0]?.address ?? ""}>`,
      `Date: ${date?.toUTCString() ?? ""}`,
      `Subject: ${subject}`,
      `Message-ID: <${messageId ?? ""}>`,
    ];
    const place = 'Postmark has it: after ten tries it is an "Inbound Error" there, and can be handed over again.';
    await setAside(Buffer.from(headers.join("\n")), receiving.store.clock.now(), receiving.store.inbound, place);
    if (tries === triesMax) receiving.counted("set-aside");
  }

  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", (_request: unknown, body: Readable) => gather(body));

  app.route({
    method: "POST",
    url: "/webhooks/postmark/inbound",
    onRequest: async (request, reply) => {
      await requirePassword(request, reply);
      requireJson(request.headers);
      if (Number(request.headers["content-length"]) > bodyBytesMax) throw new Fault("bodyTooLarge");
      if (underWay >= atOnceMax) throw new Fault("overloaded", { retryAfterSeconds: busyRetrySeconds });
      underWay += 1;
      // Also when the client goes away.
      reply.raw.once("close", () => {
        underWay -= 1;
      });
    },
    handler: async ({ body }) => {
      if (!Buffer.isBuffer(body) || body.length === 0) throw new Fault("bodyEmpty");
      const mail = await readPostmark(body).catch((error: unknown) => {
        throw error instanceof MalformedMail ? new Fault("bodyMalformed", { cause: error }) : error;
      });
      try {
        return { result: await receiveMail(mail, receiving) };
      } catch (error) {
        const isMails = !(error instanceof StorageUnavailable || error instanceof VaultUnavailable);
        if (isMails) await noteFailure(mail);
        throw error;
      }
    },
  });
}

/**
 * Copies each piece as it comes, to where the thread that parses mails reads it too: all at once, when the last one is there,
 * 35 MB hold up the event loop for 50 ms.
 */
async function gather(body: Readable): Promise<Buffer> {
  const room = new SharedArrayBuffer(0, { maxByteLength: bodyBytesMax });
  let inTurn = 0;
  try {
    // The refusal has to reach the client.
    for await (const piece of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      const size = room.byteLength;
      if (size + piece.length > bodyBytesMax) throw new Fault("bodyTooLarge");
      room.grow(size + piece.length);
      new Uint8Array(room, size).set(piece);
      inTurn += piece.length;
      if (inTurn < turnBytes) continue;
      await setImmediate();
      inTurn = 0;
    }
  } catch (cause) {
    // The client went away in the middle.
    throw cause instanceof Fault ? cause : new Fault("bodyMalformed", { cause });
  }
  return Buffer.from(room, 0, room.byteLength);
}
