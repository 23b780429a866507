// The yardstick: what one would write by hand with Fastify and zod for the same work, and nothing around it. No request
// ids, no security headers, no metrics, no log, no typed door, one error for everything.
import { createHash, randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import multipart from "@fastify/multipart";
import { inquiryInput, inquiryReceipt } from "@submissions/shared/inquiry";
import type { NewMail } from "../../server/src/storage/records.ts";
import Fastify, { type FastifyInstance } from "fastify";
import { z } from "zod";
import type { Deps } from "../../server/src/deps.ts";
import { withFreshReference } from "../../server/src/intake/draw-reference.ts";
import { composeInquiryMails } from "../../server/src/mail/compose.ts";

export async function handWritten(deps: Deps, uploads: string): Promise<FastifyInstance> {
  const app = Fastify({ logger: false });
  app.post(
    "/inquiry",
    { schema: { response: { 200: z.toJSONSchema(inquiryReceipt, { target: "draft-7" }) } } },
    async (request) => {
      const parsed = inquiryInput.safeParse(request.body);
      if (!parsed.success) throw Object.assign(new Error("Bad request"), { statusCode: 400 });
      const input = parsed.data;
      const receivedAt = Date.now();
      let mails: NewMail[] = [];
      const accepted = await withFreshReference(deps.store, "INQ", receivedAt, (candidate) => {
        const inquiry = {
          reference: candidate,
          name: input.name,
          company: input.company ?? null,
          email: input.email,
          selectedPackageIds: input.selectedPackageIds,
          receivedAt,
          origin: { door: "rest" as const, requestId: "" },
        };
        mails = composeInquiryMails(inquiry, deps.mail);
        return deps.store.acceptInquiry(inquiry, mails, deps.outbox.lease(receivedAt));
      });
      return {
        message: "Thank you.",
        inquiryId: accepted.result === "accepted" ? accepted.reference : "",
        confirmationEmailSent: await deps.outbox.deliverNow(mails, receivedAt),
      };
    },
  );
  await app.register(multipart, { limits: { fileSize: 5 * 1024 * 1024 } });
  app.post("/upload", async (request) => {
    const hash = createHash("sha256");
    const fields: Record<string, string> = {};
    for await (const part of request.parts()) {
      if (part.type === "field") fields[part.fieldname] = String(part.value);
      else {
        part.file.on("data", (chunk: Buffer) => hash.update(chunk));
        await pipeline(part.file, createWriteStream(join(uploads, randomUUID())));
      }
    }
    return { message: "Thank you.", sha256: hash.digest("hex"), fields: Object.keys(fields).length };
  });
  return app;
}
