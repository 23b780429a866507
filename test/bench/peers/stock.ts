// What a user of tRPC would take instead of the service's own doors: fastifyTRPCPlugin and fastifyTRPCOpenApiPlugin over
// procedures with the service's paths and schemas, and the peers' store behind them. Environment: PORT, and that of
// peer-store.ts.
import { Readable } from "node:stream";
import { applicationInput } from "@submissions/shared/application";
import { inquiryInput } from "@submissions/shared/inquiry";
import { subscribeInput } from "@submissions/shared/subscription";
import { initTRPC } from "@trpc/server";
import { fastifyTRPCPlugin } from "@trpc/server/adapters/fastify";
import Fastify from "fastify";
import { fastifyTRPCOpenApiPlugin, type OpenApiMeta } from "trpc-to-openapi";
import { z } from "zod";
import { keepFile } from "./keep-file.ts";
import { openPeerStore, type Submission } from "./peer-store.ts";

const store = await openPeerStore();
const trpc = initTRPC.meta<OpenApiMeta>().create({ isDev: false });
const receipt = z.object({ message: z.string(), id: z.string() });
const submit = async (submission: Submission) => ({ message: "Thank you.", id: await store(submission) });

const router = trpc.router({
  marketplace: trpc.router({
    inquiry: trpc.procedure
      .meta({ openapi: { method: "POST", path: "/marketplace/inquiry" } })
      .input(inquiryInput)
      .output(receipt)
      .mutation(({ input: { name, company = "", email, selectedPackageIds } }) => {
        const packages = selectedPackageIds.map((id) => ["Package", id] as const);
        const facts = [["Name", name], ["Company", company], ["E-mail", email], ...packages] as const;
        return submit({ kind: "inquiry", email, facts });
      }),
  }),
  newsletter: trpc.router({
    subscribe: trpc.procedure
      .meta({ openapi: { method: "POST", path: "/newsletter/subscribe" } })
      .input(subscribeInput)
      .output(receipt)
      .mutation(({ input }) => submit({ kind: "subscription", email: input.email, facts: [["Source", input.source]] })),
  }),
  applications: trpc.router({
    // trpc-to-openapi takes JSON only, so that a file comes through the typed door alone.
    submit: trpc.procedure
      .input(applicationInput)
      .output(receipt)
      .mutation(async ({ input }) => {
        const { fullName, email, position, resumeFile } = input;
        const sha256 = resumeFile === undefined ? "" : await keepFile(Readable.from(resumeFile.stream()));
        return submit({
          kind: "application",
          email,
          facts: [
            ["Name", fullName],
            ["Position", position],
            ["SHA-256", sha256],
          ],
        });
      }),
  }),
});

const app = Fastify({ bodyLimit: 6 * 1024 * 1024, routerOptions: { maxParamLength: 5_000 } });
await app.register(async (scope) => {
  // tRPC reads the form itself.
  scope.addContentTypeParser("multipart/form-data", (_request, _body, done) => done(null));
  await scope.register(fastifyTRPCPlugin, { prefix: "/trpc", trpcOptions: { router } });
});
await app.register(fastifyTRPCOpenApiPlugin, { basePath: "/api", router });
app.get("/readyz", () => "ready");
await app.listen({ host: "127.0.0.1", port: Number(process.env["PORT"]) });
