// tRPC's own client, typed by the router, by each of its links: receipts and refusals come through, and so does the wait
// that a refusal asks for, also where an answer's headers do not reach the caller.
import {
  createTRPCClient,
  httpBatchLink,
  httpBatchStreamLink,
  httpLink,
  retryLink,
  TRPCClientError,
} from "@trpc/client";
import type { AppRouter } from "@submissions/server/router";
import { describe, expect, test } from "vitest";
import { applicant, buyer, pdf } from "../support/doors.ts";
import { startService, type Service } from "../support/service.ts";

const links = { httpLink, httpBatchLink, httpBatchStreamLink };

function clientOf({ url }: Service, link: (typeof links)[keyof typeof links], key?: string) {
  const headers = key === undefined ? {} : { "idempotency-key": key };
  return createTRPCClient<AppRouter>({ links: [link({ url: `${url}/trpc`, headers })] });
}

/** What a call is refused with. */
async function refusalOf(call: Promise<unknown>): Promise<TRPCClientError<AppRouter>> {
  const outcome = await call.then(
    () => new Error("The call was expected to fail."),
    (error: unknown) => error,
  );
  if (outcome instanceof TRPCClientError) return outcome;
  throw outcome;
}

describe.each(Object.entries(links))("by %s", (_, link) => {
  test("calls of one moment get their own answers", async () => {
    await using service = await startService();
    const client = clientOf(service, link);
    const [inquiry, subscription, refused] = await Promise.all([
      client.marketplace.inquiry.mutate(buyer),
      client.newsletter.subscribe.mutate({ email: "reader@example.org" }),
      refusalOf(client.newsletter.subscribe.mutate({ email: "nobody" })),
    ]);
    expect(inquiry.inquiryId).toMatch(/^INQ-/);
    expect(subscription).toEqual({ message: expect.any(String) });
    expect(refused).toMatchObject({ message: "Please check the highlighted fields." });
    expect(refused.data).toMatchObject({ code: "BAD_REQUEST", httpStatus: 400, issues: [{ path: ["email"] }] });
    expect(refused.data).not.toHaveProperty("retryAfterSeconds");
    const { inquiries, subscribers } = await service.stored();
    expect([inquiries.length, subscribers.length]).toEqual([1, 1]);
  });

  test("who is over the limit learns how long to wait, beside calls that were taken", async () => {
    await using service = await startService({ env: { RATE_LIMIT_MAX: "1", RATE_LIMIT_WINDOW_SECONDS: "3600" } });
    const client = clientOf(service, link);
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
    expect((await service.stored()).subscribers).toHaveLength(1);
  });
});

test("a form with its file goes by the link without batches", async () => {
  await using service = await startService();
  const form = new FormData();
  for (const [name, value] of Object.entries({ ...applicant, resumeFile: pdf() })) form.append(name, value);
  const { applicationId } = await clientOf(service, httpLink).applications.submit.mutate(form);
  expect((await service.stored()).applications).toMatchObject([{ reference: applicationId }]);
  expect(await service.files("resumes")).toHaveLength(1);
});

test("retries within a streamed batch can wait as long as the service asks", async () => {
  await using service = await startService({ env: { RATE_LIMIT_MAX: "1", RATE_LIMIT_WINDOW_SECONDS: "1" } });
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
      httpBatchStreamLink({ url: `${service.url}/trpc` }),
    ],
  });
  await Promise.all(["a", "b"].map((name) => client.newsletter.subscribe.mutate({ email: `${name}@example.org` })));
  expect(asked.length).toBeGreaterThan(0);
  expect(new Set(asked)).toEqual(new Set([1]));
  expect((await service.stored()).subscribers).toHaveLength(2);
});
