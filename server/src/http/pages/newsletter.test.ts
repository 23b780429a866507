// How large a form of a newsletter link may be.
import type { AddressInfo } from "node:net";
import Fastify, { type FastifyInstance } from "fastify";
import { afterEach, expect, test } from "vitest";
import { refuse } from "../fault-reply.ts";
import { Guard } from "../gate/guard.ts";
import { newsletterPages } from "./newsletter.ts";
import { answerWithPages } from "./page-answer.ts";
import { samplePackages } from "../../config/catalogue.ts";
import { siteOf } from "./site.ts";

const intake = { packageTitles: null, newsletterOptIn: "double", proofOfWork: null } as const;
const site = siteOf({
  brand: "Example Speech",
  packages: samplePackages,
  intake,
  privacy: null,
  corsOrigins: [],
  hasFrontPage: true,
  publicUrl: () => "https://submissions.example.org",
  bundle: null,
});

const guard = new Guard({
  name: "links",
  limit: { max: 1_000, windowSeconds: 60 },
  addresses: { keysOf: () => ({ rate: "::1", share: "::1" }) },
  isForeign: () => false,
  shared: null,
});

let app: FastifyInstance;
afterEach(() => app.close());

async function listen(): Promise<AddressInfo> {
  app = Fastify();
  app.decorateRequest("failure", null);
  app.setErrorHandler((error, request, reply) => refuse(request, reply, error));
  answerWithPages(app, site);
  const store = {
    checkLink: () => Promise.resolve(true),
    followLink: () => Promise.resolve(true),
  };
  const clock = { now: Date.now };
  await app.register((scope) => newsletterPages(scope, { site, clock, store, guard }));
  await app.listen({ port: 0, host: "127.0.0.1" });
  return app.server.address() as AddressInfo;
}

test("a form of 4 KB is too large", async () => {
  const { port } = await listen();
  const post = (body: string) =>
    fetch(`http://127.0.0.1:${port}/newsletter/confirm`, {
      method: "POST",
      body,
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
  const token = `token=${"A".repeat(43)}`;
  expect((await post(token)).status).toBe(200);
  const refused = await post(token.padEnd(4_097, "A"));
  expect([refused.status, refused.headers.get("content-type")]).toEqual([413, "text/html; charset=utf-8"]);
});
