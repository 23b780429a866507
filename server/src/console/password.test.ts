import { expect, test } from "vitest";
import { Fault } from "../fault.ts";
import { Passwords } from "./password.ts";

const passwords = new Passwords();

test("a password verifies against its hash and no other does", async () => {
  const stored = await passwords.hash("correct horse battery");
  expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  expect(await passwords.verify("correct horse battery", stored)).toBe(true);
  expect(await passwords.verify("correct horse batterx", stored)).toBe(false);
  expect(await passwords.hash("correct horse battery")).not.toBe(stored);
});

test("accents verify however the keyboard writes them", async () => {
  const stored = await passwords.hash("Wu\u0308rfel am Fenster");
  expect(await passwords.verify("W\u00fcrfel am Fenster", stored)).toBe(true);
});

test("hashes with other costs go on working", async () => {
  const stored = "$argon2id$v=19$m=256,t=3,p=2$c29tZXNhbHQ$RmjTCsQYfmh47t6s8P2DxaCjDbLMFu8L";
  expect(await passwords.verify("password", stored)).toBe(true);
});

test("without a stored password nothing verifies", async () => {
  expect(await passwords.verify("", null)).toBe(false);
});

test("two run at once, twenty wait, the next is refused, and those behind the wait are served", async () => {
  const busy = new Passwords();
  const tries = Array.from({ length: 24 }, () => busy.verify("x", null));
  const results = await Promise.allSettled(tries);
  const refused = results.filter(({ status }) => status === "rejected");
  expect(refused).toHaveLength(2);
  expect((refused[0] as PromiseRejectedResult).reason).toBeInstanceOf(Fault);
  expect((refused[0] as PromiseRejectedResult).reason).toMatchObject({ fault: "signInBusy", retryAfterSeconds: 2 });
  expect(await busy.verify("x", null)).toBe(false);
});
