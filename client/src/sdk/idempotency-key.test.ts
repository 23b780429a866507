// Which keys a submission may have.
import { afterEach, expect, test, vi } from "vitest";
import { idempotencyKey } from "./idempotency-key.ts";

afterEach(() => vi.unstubAllGlobals());

test("is the caller's own", () => expect(idempotencyKey("order 66")).toBe("order 66"));

test("is another one each time without one", () => {
  const keys = Array.from({ length: 100 }, () => idempotencyKey(undefined));
  expect(new Set(keys).size).toBe(100);
  expect(keys[0]).toMatch(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/);
});

test("is made in pages that came over plain HTTP too", () => {
  const { crypto } = globalThis;
  vi.stubGlobal("crypto", { getRandomValues: (bytes: Uint8Array<ArrayBuffer>) => crypto.getRandomValues(bytes) });
  const keys = Array.from({ length: 100 }, () => idempotencyKey(undefined));
  expect(new Set(keys).size).toBe(100);
  for (const key of keys) expect(key).toMatch(/^[\da-f]{32}$/);
});

test("may have 255 characters", () => expect(idempotencyKey("k".repeat(255))).toHaveLength(255));

test.each(["", " ", "k".repeat(256), "ä", "a\nb", "a\u007F", 7 as unknown as string])(
  "%j is a mistake of the calling program",
  (key) => expect(() => idempotencyKey(key)).toThrow(TypeError),
);
