// What a form of a newsletter link may cost: how long it takes to arrive, and how large it is.
import { once } from "node:events";
import { connect, type AddressInfo } from "node:net";
import Fastify, { type FastifyInstance } from "fastify";
import { afterEach, expect, test } from "vitest";
import { refuse } from "../fault-reply.ts";
import { Guard } from "../gate/guard.ts";
import { newsletterPages } from "./newsletter.ts";
import { answerWithPages } from "./page-answer.ts";
import { samplePackages } from "../../config/sample-catalogue.ts";
import { siteOf } from "./site.ts";

const intake = { packageTitles: null, newsletterOptIn: "double", proofOfWork: null } as const;
const site = siteOf({
  brand: "Example Speech",
  packages: samplePackages,
  intake,
  privacy: null,
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

async function listen(formMs: number): Promise<AddressInfo> {
  app = Fastify();
  app.decorateRequest("failure", null);
  app.setErrorHandler((error, request, reply) => refuse(request, reply, error));
  answerWithPages(app, site);
  const store = {
    checkLink: () => Promise.resolve(true),
    confirmSubscription: () => Promise.resolve(true),
    unsubscribe: () => Promise.resolve(true),
  };
  const clock = { now: Date.now };
  await app.register((scope) => newsletterPages(scope, { brand: site.brand, clock, store, guard, formMs }));
  await app.listen({ port: 0, host: "127.0.0.1" });
  return app.server.address() as AddressInfo;
}

test.each(["application/x-www-form-urlencoded", "multipart/form-data; boundary=b"])(
  "a form (%s) that does not end is answered with 408, and its connection is closed",
  async (contentType) => {
    const { port } = await listen(20);
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    let answer = "";
    socket.on("data", (chunk) => (answer += chunk.toString("latin1")));
    socket.on("error", () => {});
    socket.write(
      `POST /newsletter/unsubscribe HTTP/1.1\r\nHost: x\r\nContent-Type: ${contentType}\r\n` +
        "Content-Length: 100\r\n\r\ntoken=",
    );
    await once(socket, "close");
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(answer).toMatch(/^connection: close\r$/im);
    expect(answer).toContain("<h1>That did not work</h1>");
  },
);

test("a form that comes in time is not cut, and one of 4 KB is too large", async () => {
  const { port } = await listen(60_000);
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
