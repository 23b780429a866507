import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createLog } from "../observe/log.ts";
import type { Actor, AuditEntry } from "../storage/desk-store.ts";
import { gatherAudit } from "./gathered-audit.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function open() {
  const written: (AuditEntry & Actor)[] = [];
  const desk = { audit: async (entry: AuditEntry, actor: Actor) => void written.push({ ...entry, ...actor }) };
  const gathered = gatherAudit(desk, { now: () => 7 }, createLog("silent"));
  const counts = () => written.map(({ operator, detail }) => [operator, detail?.["count"]]);
  return { gathered, written, counts };
}

test("those of a minute are written as one entry", async () => {
  const { gathered, written, counts } = open();
  for (let at = 0; at < 5; at += 1) gathered.note("anna@example.org", "sign-in.failed");
  expect(written).toEqual([]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(written).toEqual([
    { action: "sign-in.failed", subject: "", detail: { count: 5 }, operator: "anna@example.org", at: 7 },
  ]);
  gathered.note("anna@example.org", "sign-in.failed");
  await vi.advanceTimersByTimeAsync(60_000);
  expect(counts().at(-1)).toEqual(["anna@example.org", 1]);
});

test("what was typed for an unknown address is not written", async () => {
  const { gathered, counts } = open();
  gathered.note(null, "sign-in.failed");
  await vi.advanceTimersByTimeAsync(60_000);
  expect(counts()).toEqual([["unknown", 1]]);
});

test("what was gathered is written at the end", async () => {
  const { gathered, counts } = open();
  gathered.note(null, "sign-in.failed");
  gathered.note(null, "sign-in.failed");
  gathered.note("anna@example.org", "sign-in.failed");
  await gathered.write();
  expect(counts()).toEqual([
    ["unknown", 2],
    ["anna@example.org", 1],
  ]);
});

test("what differs in operator, action or subject is an entry of its own, with a count of each reason", async () => {
  const { gathered, written } = open();
  for (const reason of ["notFound", "notFound", "tokenReadsOnly"]) {
    gathered.note("token 1 (crm)", "refused", "people.erase", reason);
  }
  gathered.note("token 2 (crm)", "refused", "people.erase", "notFound");
  await gathered.write();
  expect(written.map(({ operator, detail }) => [operator, detail])).toEqual([
    ["token 1 (crm)", { notFound: 2, tokenReadsOnly: 1 }],
    ["token 2 (crm)", { notFound: 1 }],
  ]);
});
