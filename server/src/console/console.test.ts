import { expect, test } from "vitest";
import { troublesOf } from "./console.ts";

const minuteMs = 60_000;
const gib = 1024 ** 3;
const well = { mailPaused: false, firstDueAt: null, freeBytes: [4 * gib], now: 60 * minuteMs };

test.each([
  ["nothing waits", {}, { mail: false, disk: false }],
  ["a mail is due, but not for long", { firstDueAt: 50 * minuteMs }, { mail: false, disk: false }],
  ["a mail has been due for over ten minutes", { firstDueAt: 49 * minuteMs }, { mail: true, disk: false }],
  ["a restored mail is held", { firstDueAt: Date.UTC(9999) }, { mail: false, disk: false }],
  ["the provider takes nothing", { mailPaused: true }, { mail: true, disk: false }],
  ["the second disk has less than 3 GiB", { freeBytes: [4 * gib, 3 * gib - 1] }, { mail: false, disk: true }],
])("%s", (_, more, troubles) => {
  expect(troublesOf({ ...well, ...more })).toEqual(troubles);
});
