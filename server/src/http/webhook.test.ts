import Fastify from "fastify";
import { expect, test, vi } from "vitest";
import { takeJson } from "./body/content-type.ts";
import { refuse } from "./fault-reply.ts";
import { ClientAddresses } from "./gate/client-address.ts";
import { countWrongPasswords } from "./gate/guard.ts";
import { createMetrics } from "../observe/metrics.ts";
import { postmarkWebhook } from "./webhook.ts";

const event = { RecordType: "SpamComplaint", Email: "ann@example.org", BouncedAt: "2026-11-21T12:00:00Z" };

function open() {
  const app = Fastify();
  const suppress = vi.fn(async () => true);
  app.decorateRequest("failure", null);
  app.decorateRequest("page", null);
  app.removeAllContentTypeParsers();
  takeJson(app);
  app.setErrorHandler((error, request, reply) => refuse(request, reply, error));
  postmarkWebhook(app, {
    credentials: { user: "postmark", password: "correct horse battery staple" },
    judgePassword: countWrongPasswords(new ClientAddresses({ kind: "none" }), 10),
    store: { suppress },
    clock: { now: () => Date.UTC(2026, 10, 22) },
    metrics: createMetrics(),
  });
  const send = (credentials: string, remoteAddress = "192.0.2.1") =>
    app.inject({
      method: "POST",
      url: "/webhooks/postmark",
      remoteAddress,
      headers: { authorization: `Basic ${btoa(credentials)}` },
      payload: event,
    });
  return { app, suppress, send };
}

const right = "postmark:correct horse battery staple";

test("after ten wrong passwords in a minute an address is refused 429, others are not", async () => {
  const { app, suppress, send } = open();
  for (let tries = 0; tries < 10; tries += 1) expect((await send(`postmark:${tries}`)).statusCode).toBe(401);
  for (const credentials of ["postmark:wrong", right]) {
    const { statusCode, headers, body } = await send(credentials);
    expect([statusCode, JSON.parse(body)]).toMatchObject([429, { code: "TOO_MANY_REQUESTS" }]);
    expect(Number(headers["retry-after"])).toBeGreaterThan(0);
  }
  expect(suppress).not.toHaveBeenCalled();
  expect((await send(right, "192.0.2.2")).statusCode).toBe(200);
  await app.close();
});
