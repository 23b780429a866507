import { expect, test } from "vitest";
import { disposableHosts } from "./disposable.ts";

const isDisposable = disposableHosts(["throwaway.example", "co.test"]);

test.each([
  ["a@mailinator.com", true],
  ["a@sub.mailinator.com", true],
  ["a@x.y.z.mailinator.com", true],
  ["a@no-mailinator.com", false],
  ["a@mailinator.com.example", false],
  ["mailinator.com@example.org", false],
  ["a@throwaway.example", true],
  ["a@deep.throwaway.example", true],
  ["a@example", false],
  ["a@co.test", true],
  ["a@test", false],
  ["ann@example.org", false],
])("%s: %s", (email, disposable) => {
  expect(isDisposable(email)).toBe(disposable);
});

test("hosts of one list are not in another", () => {
  expect(disposableHosts([])("a@throwaway.example")).toBe(false);
});
