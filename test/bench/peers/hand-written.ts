// The service as one would write it by hand with Fastify and zod: durable and with an outbox, and nothing around it: no
// request ids, headers, limits, log, metrics or typed door. Environment: PORT, and that of peer-store.ts.
import multipart from "@fastify/multipart";
import Fastify from "fastify";
import { readApplication, readInquiry, readSubscription } from "./inputs.ts";
import { keepFile } from "./keep-file.ts";
import { openPeerStore, type Submission } from "./peer-store.ts";

const store = await openPeerStore();
const app = Fastify();
const receipt = { 200: { type: "object", properties: { message: { type: "string" }, id: { type: "string" } } } };

async function submit(submission: Submission | null) {
  if (submission === null) throw Object.assign(new Error("Please check the fields."), { statusCode: 400 });
  return { message: "Thank you.", id: await store.submit(submission) };
}

const options = { schema: { response: receipt } };
app.post("/api/marketplace/inquiry", options, ({ body }) => submit(readInquiry(body)));
app.post("/api/newsletter/subscribe", options, ({ body }) => submit(readSubscription(body)));

await app.register(multipart, { limits: { fileSize: 5 * 1024 * 1024 } });
app.post("/api/applications/submit", options, async (request) => {
  const fields: Record<string, unknown> = {};
  let sha256 = "";
  for await (const part of request.parts()) {
    if (part.type === "field") fields[part.fieldname] = part.value;
    else sha256 = await keepFile(part.file);
  }
  return submit(readApplication(fields, sha256));
});

app.get("/readyz", () => "ready");
await app.listen({ host: "127.0.0.1", port: Number(process.env["PORT"]) });
