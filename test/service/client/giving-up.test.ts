// A service that is busy or away: how long the typed client keeps trying, and with what it gives up.
import { createSubmissionsClient } from "@submissions/client";
import { faults } from "@submissions/shared/faults";
import { describe, expect, test, vi } from "vitest";
import { buildClient } from "../../../client/src/sdk/build-client.ts";
import { FlakyProxy, type Mishap } from "../../support/flaky-proxy.ts";
import { startService } from "../../support/service.ts";
import { anew, shared } from "../../support/shared.ts";
import { failureOf } from "../../support/client/failure-of.ts";
import { testClock } from "../../support/client/test-clock.ts";

const subscription = { email: "reader@example.org" };

const service = shared(() => startService());
const proxy = anew(() => FlakyProxy.open(service().url));

function clientThrough(mishaps: readonly Mishap[], clock = testClock(), retry = {}) {
  proxy().next(...mishaps);
  return buildClient({ url: proxy().url, retry }, clock);
}

const refusal = (fault: "draining" | "internal" | "rateLimited", retryAfter?: number): Mishap => {
  const { status, code, message } = faults[fault];
  const headers: Record<string, string> = retryAfter === undefined ? {} : { "retry-after": String(retryAfter) };
  return { status, headers, body: { message, code, requestId: "r-1" } };
};
const busy = refusal("draining", 5);
const badGateway: Mishap = { status: 502, headers: { "content-type": "text/html" }, body: "Bad gateway" };

describe("keeps trying", () => {
  test.each<[string, Mishap[], number[]]>([
    ["as late as a busy service asks", [busy], [5_500]],
    ["as late as a rate limit asks", [{ status: 429, headers: { "retry-after": "7" } }], [7_500]],
    ["through a proxy without its service", [badGateway, { ...badGateway, status: 504 }], [500, 1_000]],
    ["after one fault of the service", [refusal("internal")], [500]],
  ])("%s", async (_, mishaps, waits) => {
    const clock = testClock();
    const client = clientThrough(mishaps, clock);
    expect(await client.newsletter.subscribe(subscription)).toEqual({ message: expect.any(String) });
    expect(clock.waits).toEqual(waits);
    expect(proxy().requests).toHaveLength(mishaps.length + 1);
  });
});

describe("gives up with the last failure", () => {
  test("when it has tried often enough", async () => {
    const clock = testClock();
    const client = clientThrough([busy, badGateway, "lose request", busy], clock);
    const error = await failureOf(client.newsletter.subscribe(subscription));
    expect(error).toMatchObject({
      code: "SERVICE_UNAVAILABLE",
      status: 503,
      requestId: "r-1",
      retryAfterSeconds: 5,
      idempotencyKey: proxy().requests[0]?.headers["idempotency-key"],
    });
    expect(clock.waits).toEqual([5_500, 1_000, 2_000]);
    expect(proxy().requests).toHaveLength(4);
  });

  test("which says whether an earlier try may have got through", async () => {
    const tooMany = refusal("rateLimited", 3_600);
    const client = clientThrough([tooMany, "lose answer", tooMany]);
    const refused = await failureOf(client.newsletter.subscribe(subscription));
    expect(refused).toMatchObject({ code: "TOO_MANY_REQUESTS", mayHaveArrived: false });
    const unclear = await failureOf(client.newsletter.subscribe(subscription));
    const { code, message, status, requestId, issues, retryAfterSeconds } = refused;
    const alike = { code, message, status, requestId, issues, retryAfterSeconds };
    expect(unclear).toMatchObject({ ...alike, mayHaveArrived: true });
    expect(unclear.idempotencyKey).toBe(proxy().requests[2]?.headers["idempotency-key"]);
  });

  test("when its time is over, though it could try more often", async () => {
    const clock = testClock();
    const client = clientThrough(Array<Mishap>(20).fill(busy), clock, { tries: 20, longestWaitMs: 1_000 });
    await failureOf(client.newsletter.subscribe(subscription));
    expect(clock.waits).toEqual(Array(5).fill(5_500));
  });

  test("after the first where nothing is to be repeated, for a client or a call", async () => {
    const client = clientThrough([busy, busy, busy]);
    await failureOf(client.newsletter.subscribe(subscription, { retry: false }));
    expect(proxy().requests).toHaveLength(1);
    const never = createSubmissionsClient({ url: proxy().url, retry: false });
    await failureOf(never.newsletter.subscribe(subscription));
    expect(proxy().requests).toHaveLength(2);
    const willing = buildClient({ url: proxy().url, retry: false }, testClock());
    await willing.newsletter.subscribe(subscription, { retry: {} });
    expect(proxy().requests).toHaveLength(4);
  });
});

describe("an abort", () => {
  test("cuts the wait and wins over the failure before it", async () => {
    const controller = new AbortController();
    const reason = new DOMException("The person left the page.", "AbortError");
    const client = clientThrough([busy], testClock({ during: () => controller.abort(reason) }));
    const call = client.newsletter.subscribe(subscription, { signal: controller.signal });
    await expect(call).rejects.toBe(reason);
    expect(proxy().requests).toHaveLength(1);
  });

  test("cuts a real wait at once", async () => {
    const controller = new AbortController();
    // Longer than a test may take.
    const busyForLong = { status: 503, headers: { "retry-after": "3600" } };
    const send: typeof fetch = async () => {
      const answer = new Response("{}", busyForLong);
      // After everything that is done with the answer.
      setTimeout(() => controller.abort("gone"), 0);
      return answer;
    };
    const client = createSubmissionsClient({ url: proxy().url, fetch: send, retry: { giveUpAfterMs: 43_200_000 } });
    await expect(client.newsletter.subscribe(subscription, { signal: controller.signal })).rejects.toBe("gone");
  });

  test("ends a later try that hangs", async () => {
    const controller = new AbortController();
    const client = clientThrough([busy, "hang"]);
    const call = client.newsletter.subscribe(subscription, { signal: controller.signal });
    const outcome = expect(call).rejects.toBe("gone");
    await vi.waitUntil(() => proxy().requests.length === 2, { timeout: 30_000 });
    controller.abort("gone");
    await outcome;
  });
});

test("a receipt that breaks off where the connection does not tell is no receipt", async () => {
  const cut = new Response('{"result":{"data":{"mess', { headers: { "content-type": "application/json" } });
  const send = vi.fn<typeof fetch>((...request) => fetch(...request)).mockResolvedValueOnce(cut);
  const client = buildClient({ url: proxy().url, fetch: send }, testClock());
  expect(await client.newsletter.subscribe(subscription)).toEqual({ message: expect.any(String) });
  expect(send).toHaveBeenCalledTimes(2);
});
