// The days of an operator's time zone.
import { afterAll, expect, test } from "vitest";
import { filterOf, midnight, morning, readInboxSearch } from "./inbox-search.ts";

const zone = process.env["TZ"];
afterAll(() => void (zone === undefined ? delete process.env["TZ"] : (process.env["TZ"] = zone)));

test.each([
  ["the end of a month and of a year", "UTC", "2026-12-31T23:30Z", "2027-01-01T08:00Z"],
  ["a day of 23 hours", "Europe/Berlin", "2026-03-28T12:00Z", "2026-03-29T06:00Z"],
  ["a day of 25 hours", "Europe/Berlin", "2026-10-24T12:00Z", "2026-10-25T07:00Z"],
  ["a day that has no midnight", "America/Santiago", "2026-09-05T15:00Z", "2026-09-06T11:00Z"],
])("a day begins at midnight, and work at eight: %s", (_what, zoneName, now, then) => {
  process.env["TZ"] = zoneName;
  expect(new Date(morning(Date.parse(now), 1)).toISOString()).toBe(new Date(then).toISOString());
  expect(new Date(midnight(Date.parse(now), 1)).toLocaleDateString("sv")).toBe(then.slice(0, 10));
});

test("a filter of an address ends with a day or within it", () => {
  process.env["TZ"] = "Europe/Berlin";
  const untilOf = (until: string) => filterOf(readInboxSearch({ until })).until;
  expect(untilOf("2026-10-25")).toBe(Date.parse("2026-10-25T23:00Z"));
  expect(untilOf("2026-11-21T09:30")).toBe(Date.parse("2026-11-21T08:30Z"));
  for (const none of ["2026-11-21T9:30", "2026-11-21T25:30", "soon"]) expect(untilOf(none)).toBeUndefined();
});
