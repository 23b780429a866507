import { expect, test } from "vitest";
import { secretCheck } from "./secrets.ts";

test("a secret is only equal to itself", () => {
  const isRight = secretCheck("user:password");
  for (const sent of ["", "user:passwor", "user:password ", "user:passwore"]) expect(isRight(sent)).toBe(false);
  expect(isRight("user:password")).toBe(true);
  expect(isRight(Buffer.from("user:password"))).toBe(true);
});
