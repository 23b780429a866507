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

test("those of ten seconds are written as one entry", async () => {
  const { failures, written, counts } = open();
  for (let at = 0; at < 5; at += 1) failures.note("anna@example.org");
  expect(written).toEqual([]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(written).toEqual([
    { action: "sign-in.failed", subject: "", detail: { count: 5 }, operator: "anna@example.org", at: 7 },
  ]);
  failures.note("anna@example.org");
  await vi.advanceTimersByTimeAsync(10_000);
  expect(counts().at(-1)).toEqual(["anna@example.org", 1]);
});

test("what was typed for an unknown address is not written", async () => {
  const { failures, counts } = open();
  failures.note(null);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(counts()).toEqual([["unknown", 1]]);
});

test("what was gathered is written at the end", async () => {
  const { failures, counts } = open();
  failures.note(null);
  failures.note(null);
  failures.note("anna@example.org");
  await failures[Symbol.asyncDispose]();
  expect(counts()).toEqual([
    ["unknown", 2],
    ["anna@example.org", 1],
  ]);
});
