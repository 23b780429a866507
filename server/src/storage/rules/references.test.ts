import { referenceDay } from "@submissions/shared/reference";
import { expect, test } from "vitest";
import { atNight } from "../../../../test/support/many-or-few.ts";
import { dayNumber, References } from "./references.ts";

const day = 20261121;
const references = new References("0".repeat(64));
const numberOf = (reference: string) => Number(reference.slice(-6));

/** By day one of so many counters is tried, at night each. */
const step = atNight ? 1 : 97;

test("each counter of a day gets a number of its own, and is found again by it", () => {
  const taken = new Set<number>();
  let counters = 0;
  let notInverted = 0;
  for (let counter = 0; counter < 1_000_000; counter += step) {
    const reference = references.format("inquiry", day, counter);
    counters += 1;
    taken.add(numberOf(reference));
    if (references.parse(reference)?.dayNumber !== dayNumber(day, counter)) notInverted += 1;
  }
  expect(notInverted).toBe(0);
  expect(taken.size).toBe(counters);
});

test("neighbours get numbers that are no more adjacent than random ones", () => {
  const counters = 30_000;
  let near = 0;
  let before = numberOf(references.format("application", day, 0));
  for (let counter = 1; counter < counters; counter += 1) {
    const number = numberOf(references.format("application", day, counter));
    if (Math.abs(before - number) <= 1_000) near += 1;
    before = number;
  }
  // Two random numbers are that near in 0.2 % of all cases.
  expect(near / counters).toBeGreaterThan(0.001);
  expect(near / counters).toBeLessThan(0.003);
});

test.each([
  ["another key", new References("1".repeat(64)), "inquiry", day],
  ["another day", references, "inquiry", day + 1],
  ["another kind", references, "application", day],
] as const)("permutes otherwise with %s", (_what, other, kind, otherDay) => {
  const counters = Array.from({ length: 100 }, (_, counter) => counter);
  const here = counters.map((counter) => numberOf(references.format("inquiry", day, counter)));
  const there = counters.map((counter) => numberOf(other.format(kind, otherDay, counter)));
  expect(there.filter((number, index) => number === here[index]).length).toBeLessThan(5);
});

test("permutes alike after many other days were asked for", () => {
  const before = references.format("inquiry", day, 42);
  for (let other = 1; other < 40; other += 1) references.format("inquiry", day + other, 0);
  expect(references.format("inquiry", day, 42)).toBe(before);
});

test("writes and reads the two kinds", () => {
  expect(references.format("inquiry", day, 0)).toMatch(/^INQ-20261121-[0-9]{6}$/);
  const reference = references.format("application", day, 7);
  expect(references.parse(reference)).toEqual({ kind: "application", dayNumber: 20261121_000007 });
});

test.each(["", "INQ-20261121-12345", "inq-20261121-123456", "INQ-20261121-123456\n", "XYZ-20261121-123456"])(
  "takes %j for no reference",
  (text) => expect(references.parse(text)).toBeNull(),
);

test.each([-1, 0.5, 1_000_000])("has no reference for the counter %d", (counter) => {
  expect(() => references.format("inquiry", day, counter)).toThrow(RangeError);
});

test("counts days in UTC", () => {
  expect(referenceDay(Date.UTC(2026, 10, 21, 23, 59, 59, 999))).toBe(20261121);
  expect(referenceDay(Date.UTC(2026, 10, 22))).toBe(20261122);
});
