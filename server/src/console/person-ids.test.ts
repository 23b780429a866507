import { expect, test } from "vitest";
import { personIds } from "./person-ids.ts";

const { idOf, emailOf } = personIds("a key");

test("an id is read back, is the same each time, and shows nothing of the address", () => {
  const id = idOf("Ann@Example.org");
  expect(id).toBe(idOf("ann@example.org"));
  expect(id).toMatch(/^[\w-]+$/);
  expect(emailOf(id)).toBe("ann@example.org");
  expect(Buffer.from(id, "base64url").toString("latin1")).not.toContain("example");
});

test("an old address of a page is its own", () => {
  expect(emailOf("ann@example.org")).toBe("ann@example.org");
});

test.each([
  "",
  "ann",
  "A".repeat(22),
  idOf("ann@example.org").slice(1),
  personIds("another key").idOf("ann@example.org"),
])("%j was not made here", (text) => {
  expect(emailOf(text)).toBeNull();
});

test("addresses that begin alike have ids that do not", () => {
  expect(idOf("ann@example.org").slice(0, 20)).not.toBe(idOf("ann@example.net").slice(0, 20));
});
