// Counts of calls while PostgreSQL takes connections and says nothing.
import { createServer } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { openRateLimitStore } from "../../server/src/storage/open-store.ts";
import { listening } from "../support/listening.ts";
import { locate } from "./postgres-under-test.ts";

const calls = { key: "calls:203.0.113.1", calls: 1, windowMs: 60_000 };

test("one caller finds out whether the counts are back, and no other waits for it", async () => {
  await using silent = await listening(createServer());
  const url = `postgres://service@127.0.0.1:${silent.port}/submissions`;
  const counts = (await openRateLimitStore(locate(url), { alone: () => {}, together: () => {} }))!;
  await expect(counts.count(calls)).rejects.toThrow("cannot be reached");

  let asks = false;
  const ask = async () => {
    asks = true;
    void counts.count(calls).catch(() => (asks = false));
    // The first turn brought a caller, the second none: the counting has begun.
    await nextTurn();
    await nextTurn();
    return asks;
  };
  await expect.poll(ask).toBe(true);
  await expect(counts.count(calls)).rejects.toThrow("are away");
  expect(asks).toBe(true);

  await silent.goAway();
  await counts[Symbol.asyncDispose]();
});
