import { expect, test } from "vitest";
import { prepared } from "./statement.ts";

test("one name never stands for two texts, and is short enough for the server", () => {
  const [one, other] = [prepared("SELECT 1"), prepared("SELECT 2")];
  expect(one.name).toBe(prepared("SELECT 1").name);
  expect(one.name).not.toBe(other.name);
  expect(one.name.length).toBeLessThan(64);
});
