// tRPC's own client, by each of its links: receipts, refusals and the wait that a refusal asks for come through.
import {
  createTRPCClient,
  httpBatchLink,
  httpBatchStreamLink,
  httpLink,
  retryLink,
  TRPCClientError,
} from "@trpc/client";
import { jsonlStreamConsumer } from "@trpc/server/unstable-core-do-not-import";
import type { AppRouter } from "@submissions/server/router";
import { describe, expect, test } from "vitest";
import { applicant, buyer, json, pdf } from "../../support/doors.ts";
import { shared } from "../../support/shared.ts";
import { startService, type Service } from "../../support/service.ts";

/** Asks for JSON lines by Accept. */
const streamByAccept = (options: Parameters<typeof httpBatchStreamLink<AppRouter>>[0]) =>
  httpBatchStreamLink<AppRouter>({ ...options, streamHeader: "accept" });

const links = { httpLink, httpBatchLink, httpBatchStreamLink, streamByAccept };

function clientOf({ url }: Service, link: (typeof links)[keyof typeof links], key?: string) {
  const headers = key === undefined ? {} : { "idempotency-key": key };
  return createTRPCClient<AppRouter>({ links: [link({ url: `${url}/trpc`, headers })] });
}

async function refusalOf(call: Promise<unknown>): Promise<TRPCClientError<AppRouter>> {
  const outcome = await call.then(
    () => new Error("The call was expected to fail."),
    (error: unknown) => error,
  );
  if (outcome instanceof TRPCClientError) return outcome;
  throw outcome;
}

const service = shared(() => startService());

describe.each(Object.entries(links))("by %s", (name, link) => {
  test("calls of one moment get their own answers", async () => {
    const client = clientOf(service(), link);
    const [inquiry, subscription, refused] = await Promise.all([
      client.marketplace.inquiry.mutate(buyer),
      client.newsletter.subscribe.mutate({ email: `${name}@example.org` }),
      refusalOf(client.newsletter.subscribe.mutate({ email: "nobody" })),
    ]);
    expect(inquiry.inquiryId).toMatch(/^INQ-/);
    expect(subscription).toEqual({ message: expect.any(String) });
    expect(refused).toMatchObject({ message: "Please check the highlighted fields." });
    expect(refused.data).toMatchObject({ code: "BAD_REQUEST", httpStatus: 400, issues: [{ path: ["email"] }] });
    expect(refused.data).not.toHaveProperty("retryAfterSeconds");
    const { inquiries, subscribers } = await service().stored();
    expect(inquiries.map(({ reference }) => reference)).toContain(inquiry.inquiryId);
    expect(subscribers.filter(({ email }) => [`${name}@example.org`, "nobody"].includes(email))).toHaveLength(1);
  });

  test("who is over the limit learns how long to wait, beside calls that were taken", async () => {
    await using limited = await startService({ env: { RATE_LIMIT_MAX: "1", RATE_LIMIT_WINDOW_SECONDS: "3600" } });
    const client = clientOf(limited, link);
    const subscribe = (email: string) => client.newsletter.subscribe.mutate({ email });
    // Of two requests of one moment, either may come first.
    const outcomes = await Promise.allSettled([subscribe("a@example.org"), subscribe("b@example.org")]);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    const refused = outcomes.flatMap((outcome) =>
      outcome.status === "rejected" ? [refusalOf(Promise.reject(outcome.reason))] : [],
    );
    refused.push(refusalOf(subscribe("c@example.org")));
    for (const { data } of await Promise.all(refused)) {
      expect(data).toMatchObject({ code: "TOO_MANY_REQUESTS", httpStatus: 429 });
      expect(data?.retryAfterSeconds).toBeGreaterThan(3_000);
      expect(data?.retryAfterSeconds).toBeLessThanOrEqual(3_600);
    }
    expect((await limited.stored()).subscribers).toHaveLength(1);
  });
});

test("a form with its file goes by the link without batches", async () => {
  const form = new FormData();
  for (const [name, value] of Object.entries({ ...applicant, resumeFile: pdf() })) form.append(name, value);
  const { applicationId } = await clientOf(service(), httpLink).applications.submit.mutate(form);
  expect((await service().stored()).applications).toMatchObject([{ reference: applicationId }]);
  expect(await service().files("resumes")).toHaveLength(1);
});

test("retries within a streamed batch can wait as long as the service asks", async () => {
  await using limited = await startService({ env: { RATE_LIMIT_MAX: "1", RATE_LIMIT_WINDOW_SECONDS: "1" } });
  const asked: (number | undefined)[] = [];
  const client = createTRPCClient<AppRouter>({
    links: [
      retryLink({
        retry: ({ error }) => {
          asked.push(error.data?.retryAfterSeconds);
          return error.data?.code === "TOO_MANY_REQUESTS" && asked.length < 5;
        },
        retryDelayMs: () => 1_000 * (asked.at(-1) ?? 0),
      }),
      httpBatchStreamLink({ url: `${limited.url}/trpc` }),
    ],
  });
  await Promise.all(["a", "b"].map((name) => client.newsletter.subscribe.mutate({ email: `${name}@example.org` })));
  expect(asked.length).toBeGreaterThan(0);
  expect(new Set(asked)).toEqual(new Set([1]));
  expect((await limited.stored()).subscribers).toHaveLength(2);
});

test.each([httpBatchStreamLink, streamByAccept])("a stream learns why a batch was refused as a whole", async (link) => {
  const outcomesOf = (calls: readonly Promise<unknown>[]) =>
    Promise.all(calls.map(async (call) => (await refusalOf(call)).data?.code));
  const client = clientOf(service(), link);
  const many = Array.from({ length: 51 }, () => client.newsletter.subscribe.mutate({ email: "a@example.org" }));
  expect(new Set(await outcomesOf(many))).toEqual(new Set(["BAD_REQUEST"]));
  const large = { email: "a@example.org", source: "x".repeat(150_000) };
  const both = [client.newsletter.subscribe.mutate(large), client.newsletter.subscribe.mutate(large)];
  expect(await outcomesOf(both)).toEqual(["PAYLOAD_TOO_LARGE", "PAYLOAD_TOO_LARGE"]);
  expect((await service().stored()).subscribers.map(({ email }) => email)).not.toContain("a@example.org");
});

test("one call of a batch that is too large is refused alone", async () => {
  const client = clientOf(service(), httpBatchLink);
  const subscribe = (source: string) => client.newsletter.subscribe.mutate({ email: "reader@example.org", source });
  const [taken, refused] = await Promise.all([subscribe("footer"), refusalOf(subscribe("x".repeat(70_000)))]);
  expect([taken.message !== "", refused.data?.code]).toEqual([true, "PAYLOAD_TOO_LARGE"]);
  expect((await service().stored()).subscribers).toContainEqual(
    expect.objectContaining({ email: "reader@example.org", source: "footer" }),
  );
});

// Clients up to 11.13 read lines whatever the status is. They are read here as those do: by the library's own reader.
test.each([
  ["too many calls", "POST", 51, "BAD_REQUEST"],
  ["a method that is not taken", "GET", 2, "METHOD_NOT_SUPPORTED"],
  ["a body that is too large", "POST", 2, "PAYLOAD_TOO_LARGE"],
] as const)("a stream that is refused as a whole for %s says so for each call", async (_what, method, calls, code) => {
  const paths = Array.from({ length: calls }, () => "newsletter.subscribe").join();
  const body = code === "PAYLOAD_TOO_LARGE" ? JSON.stringify({ 0: "x".repeat(300_000) }) : "{}";
  const response = await fetch(`${service().url}/trpc/${paths}?batch=1`, {
    method,
    headers: { accept: "application/jsonl", "content-type": "application/json" },
    ...(method === "POST" && { body }),
  });
  expect(response.headers.get("vary")).toBe("trpc-accept, trpc-batch-mode, Accept");
  const [head] = await jsonlStreamConsumer<Record<string, Promise<{ error: { data: unknown } }>>>({
    from: response.body!,
    abortController: new AbortController(),
  });
  expect(Object.keys(head)).toHaveLength(calls);
  for (const answer of Object.values(head))
    expect((await answer).error.data).toMatchObject({ code, path: "newsletter.subscribe" });
});

test.each([
  ["trpc-accept", "application/jsonl", /^\{.*\}\n\[.*\]\n\[.*\]\n$/],
  ["accept", "application/jsonl", /^\{.*\}\n\[.*\]\n\[.*\]\n$/],
  // The one object of tRPC 10.
  ["trpc-batch-mode", "stream", /^\{"[01]":\{.*\}\n,"[01]":\{.*\}\n\}$/],
])("a batch with %s: %s is answered with a line for each call, or refused so", async (name, value, lines) => {
  for (const inputs of [{ 0: { email: "lines@example.org" } }, []]) {
    const init = { method: "POST", ...json(inputs, { [name]: value }) };
    const response = await fetch(`${service().url}/trpc/newsletter.subscribe,newsletter.subscribe?batch=1`, init);
    const text = await response.text();
    expect([response.status, text]).toEqual([200, expect.stringMatching(lines)]);
    expect(text.match(/"result":/g) ?? []).toHaveLength(Array.isArray(inputs) ? 0 : 1);
  }
});

test("an unknown procedure is named in its refusal", async () => {
  const response = await fetch(`${service().url}/trpc/newsletter.nothing`, { method: "POST", body: "{}" });
  expect(await response.json()).toMatchObject({ error: { data: { code: "NOT_FOUND", path: "newsletter.nothing" } } });
});
