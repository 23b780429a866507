import Fastify from "fastify";
import { expect, test } from "vitest";
import { refuse } from "../fault-reply.ts";
import { Draining } from "./draining.ts";

test("a service that takes nothing new still answers its health paths, whatever their query", async () => {
  await using app = Fastify();
  app.decorateRequest("failure", null);
  app.setErrorHandler((error, request, reply) => refuse(request, reply, error));
  const draining = new Draining();
  draining.guard(app, { answersOn: () => [], endWith: () => {} });
  for (const url of ["/", "/healthz", "/readyz"]) app.get(url, async () => "");
  draining.refuse();
  const statusOf = async (url: string) => (await app.inject(url)).statusCode;
  expect(await statusOf("/")).toBe(503);
  for (const url of ["/healthz", "/healthz?from=balancer", "/readyz", "/readyz?from=balancer"])
    expect(await statusOf(url), url).toBe(200);
});
