// The typed client in a page of another origin: the service allows what the client sends, and shows what it reads.
import { createSubmissionsClient } from "@submissions/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startService, type Service } from "../support/service.ts";

const origin = "https://www.example.org";

let service: Service;
beforeAll(async () => (service = await startService({ env: { CORS_ORIGINS: origin } })));
afterAll(() => service[Symbol.asyncDispose]());

const listOf = (answer: Response, header: string) => (answer.headers.get(header) ?? "").toLowerCase().split(/\s*,\s*/);

test("every header that the client sends is allowed", async () => {
  const sent: string[] = [];
  const client = createSubmissionsClient({
    url: service.url,
    fetch: (url, init) => {
      sent.push(...new Headers(init?.headers).keys());
      return fetch(url, init);
    },
  });
  await client.newsletter.subscribe({ email: "reader@example.org" });
  expect(sent).toContain("idempotency-key");
  const preflight = await fetch(`${service.url}/trpc/newsletter.subscribe`, {
    method: "OPTIONS",
    headers: {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": sent.toSorted().join(","),
    },
  });
  expect(preflight.headers.get("access-control-allow-origin")).toBe(origin);
  expect(sent.filter((header) => !listOf(preflight, "access-control-allow-headers").includes(header))).toEqual([]);
});

test("what tells when to send again, and what to quote, is shown", async () => {
  const answer = await fetch(`${service.url}/trpc/newsletter.subscribe`, { method: "POST", headers: { origin } });
  const shown = listOf(answer, "access-control-expose-headers");
  for (const header of ["retry-after", "x-request-id", "idempotency-replayed", "ratelimit-remaining"])
    expect(shown).toContain(header);
});
