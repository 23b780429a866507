import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createLog } from "../observe/log.ts";
import type { Actor, AuditEntry } from "../storage/desk-store.ts";
import { FailedSignIns } from "./failed-sign-ins.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function open() {
  const written: (AuditEntry & Actor)[] = [];
  const desk = { audit: async (entry: AuditEntry, actor: Actor) => void written.push({ ...entry, ...actor }) };
  const failures = new FailedSignIns(desk, { now: () => 7 }, createLog("silent"));
  const counts = () => written.map(({ operator, detail }) => [operator, detail?.["count"]]);
  return { failures, written, counts };
}

test("the first of a minute is written at once, the others together", async () => {
  const { failures, written, counts } = open();
  for (let at = 0; at < 5; at += 1) await failures.note("anna@example.org");
  expect(written).toEqual([
    { action: "sign-in.failed", subject: "", detail: { count: 1 }, operator: "anna@example.org", at: 7 },
  ]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(counts()).toEqual([
    ["anna@example.org", 1],
    ["anna@example.org", 4],
  ]);
  await failures.note("anna@example.org");
  expect(counts().at(-1)).toEqual(["anna@example.org", 1]);
});

test("what was typed for an unknown address is not written", async () => {
  const { failures, counts } = open();
  await failures.note(null);
  expect(counts()).toEqual([["unknown", 1]]);
});

test("what was gathered is written at the end", async () => {
  const { failures, counts } = open();
  await failures.note(null);
  await failures.note(null);
  await failures[Symbol.asyncDispose]();
  expect(counts()).toEqual([
    ["unknown", 1],
    ["unknown", 1],
  ]);
});
