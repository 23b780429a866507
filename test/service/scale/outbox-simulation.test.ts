// What holds of mail through an outage, at a provider's limit, with several processes: hours of it, in virtual time.
import { expect, test } from "vitest";
import { hour, simulateOutbox, type Scenario } from "../../support/scale/outbox-simulation.ts";

const minute = 60_000;
const common = { arrivals: 2, outageMs: hour, afterMs: 10 * minute, toTheEnd: true, seed: 7 } as const;

test.each<Pick<Scenario, "rate" | "processes"> & { readonly batchMax?: number }>([
  { rate: 5_000, processes: 1 },
  { rate: 10, processes: 1 },
  { rate: 10, processes: 3 },
  { rate: 10, processes: 3, batchMax: 10 },
])("after an outage every mail goes out once: %o", async (each) => {
  const outcome = await simulateOutbox({ ...common, ...each });
  expect(outcome.backlog).toBeGreaterThan(7_000);
  expect(outcome).toMatchObject({ taken: outcome.stored, takenTwice: 0, failed: 0, queued: 0, errors: 0 });
});

test("no process has more than four calls for new mails and one for waiting ones under way", async () => {
  // A provider so slow that calls pile up if anything lets them.
  const outcome = await simulateOutbox({
    ...common,
    arrivals: 10,
    rate: 5_000,
    outageMs: 5 * minute,
    latencyMs: 8_000,
    processes: 1,
  });
  expect(outcome.callsAtOnceMax).toBe(5);
  expect(outcome.taken).toBe(outcome.stored);
});

test("new mails do not wait behind those of an outage", async () => {
  const latencyMs = 2_000;
  const outcome = await simulateOutbox({ ...common, rate: 5_000, latencyMs, batchMax: 50, processes: 1 });
  // The backlog takes minutes, call by call. What comes meanwhile waits for one call, or for one before it.
  expect(outcome.drainMs).toBeGreaterThan(4 * minute);
  expect(outcome.resumedDelay.count).toBeGreaterThan(200);
  expect(outcome.resumedDelay.max).toBeLessThanOrEqual(2 * latencyMs);
});

test.each([
  { arrivals: 1, rate: 2, slower: 3 },
  { arrivals: 1, rate: 10, slower: 1.5 },
  { arrivals: 10, rate: 100, slower: 1.5 },
])("new mails have their share of a provider's limit: %o", async ({ slower, ...each }) => {
  const outcome = await simulateOutbox({ ...common, ...each, processes: 1, afterMs: 5 * hour, toTheEnd: false });
  // Of the mails that came while the backlog went out, half were taken at once.
  expect(outcome.freshDelay.count).toBeGreaterThan(400);
  expect(outcome.freshDelay.p50).toBeLessThan(1_000);
  expect(outcome.resumedDelay.p99).toBeLessThan(5_000);
  expect(outcome.resumedDelay.max).toBeLessThan(15_000);
  // And the backlog uses what they leave.
  const atTheLimitMs = (outcome.backlog / (each.rate - each.arrivals)) * 1_000;
  expect(outcome.drainMs).toBeLessThan(slower * atTheLimitMs);
  expect(outcome.refusedCalls).toBeLessThan(outcome.calls / 10);
});
