import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Deps } from "../deps.ts";
import { type Accepted, StorageUnavailable } from "../storage/store.ts";
import { KeysInFlight } from "./keys-in-flight.ts";
import { acceptSubscription } from "./subscription.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

const call = {
  origin: { door: "rest", requestId: "r" },
  idempotencyKey: null,
  solution: null,
  replayed: () => {},
} as const;

function subscribe(stored: () => Promise<Accepted>, trapped = false) {
  const deps = {
    clock: { now: () => 0 },
    store: { acceptSubscription: stored, acceptNothing: stored },
    outbox: {
      lease: () => ({ owner: "o", until: 1 }),
      deliverNow: async () => true,
      imitateDelivery: async () => true,
    },
    keysInFlight: new KeysInFlight(),
    proofOfWork: null,
    isDisposable: () => false,
    mailCapped: () => {},
    newsletterOptIn: "double",
    mail: { brand: "Datasets", publicUrl: "https://example.org", addresses: {} },
  } as unknown as Deps;
  const ends: string[] = [];
  acceptSubscription(deps, { email: "ann@example.org", source: "footer" }, { ...call, trapped }).then(
    () => ends.push("answered"),
    () => ends.push("refused"),
  );
  return ends;
}

test.each([
  ["an address that gets a mail", ["mail"], false],
  ["an address that gets none", [], false],
  ["an address in the trap", [], true],
])("%s is answered after the same time", async (_whose, mails, trapped) => {
  const ends = subscribe(async () => ({ result: "accepted", mails }), trapped);
  await vi.advanceTimersByTimeAsync(24);
  expect(ends).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(ends).toEqual(["answered"]);
});

test("nothing is acknowledged before it is stored, and a store that is unusable is told at once", async () => {
  const { promise, reject } = Promise.withResolvers<Accepted>();
  const ends = subscribe(() => promise);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(ends).toEqual([]);
  reject(new StorageUnavailable("The store is closed."));
  await vi.advanceTimersByTimeAsync(0);
  expect(ends).toEqual(["refused"]);
});
