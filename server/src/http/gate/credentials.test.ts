import type { IncomingMessage } from "node:http";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ClientAddresses } from "./client-address.ts";
import { countWrongPasswords, secretCheck } from "./credentials.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const from = (address: string) => ({ socket: { remoteAddress: address }, headers: {} }) as unknown as IncomingMessage;

test("a secret is only equal to itself", () => {
  const isRight = secretCheck("user:password");
  for (const sent of ["", "user:passwor", "user:password ", "user:passwore"]) expect(isRight(sent)).toBe(false);
  expect(isRight("user:password")).toBe(true);
  expect(isRight(Buffer.from("user:password"))).toBe(true);
});

test("an address is refused after its tenth wrong password, with the right one too, until the minute is over", async () => {
  const judgePassword = countWrongPasswords(new ClientAddresses({ kind: "none" }), 10);
  const judge = (isRight: boolean, address = "2001:db8::1") =>
    judgePassword(from(address), isRight).then(
      () => "answered",
      ({ fault }: { fault: string }) => fault,
    );
  // At once, as pipelined requests come.
  const first = await Promise.all(Array.from({ length: 12 }, () => judge(false)));
  expect(first).toEqual([...Array<string>(10).fill("answered"), "tooManyAttempts", "tooManyAttempts"]);
  expect(await judge(true)).toBe("tooManyAttempts");
  expect(await judge(true, "2001:db8::ffff")).toBe("tooManyAttempts");
  expect(await judge(true, "2001:db8:0:1::1")).toBe("answered");
  vi.advanceTimersByTime(60_001);
  expect(await judge(true)).toBe("answered");
});

test("right passwords are not counted", async () => {
  const judgePassword = countWrongPasswords(new ClientAddresses({ kind: "none" }), 1);
  for (let times = 0; times < 5; times += 1) await judgePassword(from("192.0.2.1"), true);
  await judgePassword(from("192.0.2.1"), false);
  await expect(judgePassword(from("192.0.2.1"), false)).rejects.toMatchObject({ retryAfterSeconds: 60 });
});
