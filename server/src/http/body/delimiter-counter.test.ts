import { expect, test } from "vitest";
import { DelimiterCounter } from "./delimiter-counter.ts";

const body = "preamble\r\n--b1\r\n\r\none\r\n--b1\r\n\r\n--b\r\n--b1--\r\nepilogue\r\n--b1\r\n";

function count(contentType: string, text: string, chunkSize: number) {
  const counter = new DelimiterCounter(contentType);
  const bytes = Buffer.from(text, "latin1");
  for (let at = 0; at < bytes.length; at += chunkSize) counter.feed(bytes.subarray(at, at + chunkSize));
  return { parts: counter.parts, closed: counter.closed };
}

test("counts the same however the body is cut into chunks", () => {
  for (let size = 1; size <= body.length; size += 1) {
    expect(count("multipart/form-data; boundary=b1", body, size)).toEqual({
      parts: 2,
      closed: true,
    });
  }
});

test("counts the first delimiter of a body without preamble", () => {
  expect(count('multipart/form-data; boundary="b1"', "--b1\r\n\r\none\r\n--b1--", 3)).toEqual({
    parts: 1,
    closed: true,
  });
});

test("does not take a half-written closing delimiter for a closing one", () => {
  for (const end of ["", "-"]) {
    expect(count("multipart/form-data; boundary=b1", `--b1\r\n\r\none\r\n--b1${end}`, 5).closed).toBe(false);
  }
});

test("stops at one part more than there may be", () => {
  const counter = new DelimiterCounter("multipart/form-data; boundary=a", 20);
  for (let piece = 0; piece < 3; piece += 1) counter.feed(Buffer.from("--a\r\n".repeat(1_000)));
  expect(counter.parts).toBe(21);
});
