// Wherever a body is cut, and whatever stands in it: test/service/abuse/fuzz-small-parts.test.ts.
import { expect, test } from "vitest";
import { DelimiterCounter } from "./delimiter-counter.ts";

test("counts the first delimiter of a body without preamble", () => {
  const counter = new DelimiterCounter('multipart/form-data; boundary="b1"');
  counter.feed(Buffer.from("--b1\r\n\r\none\r\n--b1--"));
  expect([counter.parts, counter.closed]).toEqual([1, true]);
});

test("stops at one part more than there may be", () => {
  const counter = new DelimiterCounter("multipart/form-data; boundary=a", 20);
  for (let piece = 0; piece < 3; piece += 1) counter.feed(Buffer.from("--a\r\n".repeat(1_000)));
  expect(counter.parts).toBe(21);
});
