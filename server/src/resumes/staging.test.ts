import { expect, test } from "vitest";
import { watchRoom } from "./staging.ts";

test("a burst of uploads asks the disk once, and later ones again", async () => {
  let [now, asked] = [0, 0];
  const free = [2, 1, 0];
  const hasRoom = watchRoom(
    async () => free[asked++] ?? 0,
    1,
    () => now,
  );
  expect(await Promise.all(Array.from({ length: 100 }, () => hasRoom()))).not.toContain(false);
  now = 999;
  expect([await hasRoom(), asked]).toEqual([true, 1]);
  now = 1_000;
  expect([await hasRoom(), asked]).toEqual([true, 2]);
  now = 2_000;
  expect([await hasRoom(), asked]).toEqual([false, 3]);
});

test("1 GiB must be free unless a test says otherwise", async () => {
  expect(await watchRoom(async () => 1024 ** 3)()).toBe(true);
  expect(await watchRoom(async () => 1024 ** 3 - 1)()).toBe(false);
});

test("a disk that cannot be asked has no room", async () => {
  expect(await watchRoom(() => Promise.reject(new Error("EIO")))()).toBe(false);
});
