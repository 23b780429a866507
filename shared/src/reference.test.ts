import { expect, test } from "vitest";
import { formatReference, referenceDay } from "./reference.ts";

test("holds kind, UTC day and six digits", () => {
  const lastInstant = Date.UTC(2026, 11, 31, 23, 59, 59, 999);
  expect(formatReference("INQ", referenceDay(lastInstant), 42)).toBe("INQ-20261231-000042");
  expect(referenceDay(lastInstant + 1)).toBe(20270101);
});

test.each([-1, 1_000_000, 0.5, Number.NaN])("refuses the number %d", (number) => {
  expect(() => formatReference("APP", 20260101, number)).toThrow(RangeError);
});
