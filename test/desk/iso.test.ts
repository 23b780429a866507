import fc from "fast-check";
import { expect, test } from "vitest";
import { iso } from "../../server/src/desk/iso.ts";

const dateMs = fc.integer({ min: -8.64e15, max: 8.64e15 });
const near = fc.integer({ min: Date.UTC(2026, 10, 21), max: Date.UTC(2026, 10, 24) });

test("writes what Date writes, whatever was written before", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(near, dateMs), { minLength: 1 }), (instants) => {
      expect(instants.map(iso)).toEqual(instants.map((instant) => new Date(instant).toISOString()));
    }),
  );
});

test.each([
  Date.UTC(2026, 10, 21),
  Date.UTC(2026, 10, 21) - 1,
  Date.UTC(2024, 1, 29, 23, 59, 59, 999),
  0,
  -1,
  8.64e15,
  -8.64e15,
  1.5e12 + 0.5,
  -0.5,
])("writes %d", (instant) => {
  expect(iso(instant)).toBe(new Date(instant).toISOString());
});

test.each([8.65e15, Number.NaN, Number.POSITIVE_INFINITY])("refuses %d", (none) => {
  expect(() => iso(none)).toThrow(RangeError);
});
