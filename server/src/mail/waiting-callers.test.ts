import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openWaitingCallers } from "./waiting-callers.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("an answer is false at its deadline, and leaves no timer behind", async () => {
  const callers = openWaitingCallers(2_000);
  const ended: string[] = [];
  const note = (name: string) => (taken: boolean) => void ended.push(`${name} ${taken}`);
  void callers.open().promise.then(note("first"));
  await vi.advanceTimersByTimeAsync(500);
  void callers.open().promise.then(note("second"));
  const third = callers.open();
  void third.promise.then(note("third"));
  // What comes first holds.
  third.settle(true);
  third.settle(false);
  await vi.advanceTimersByTimeAsync(1_499);
  expect(ended).toEqual(["third true"]);
  await vi.advanceTimersByTimeAsync(1);
  expect(ended).toEqual(["third true", "first false"]);
  await vi.advanceTimersByTimeAsync(500);
  expect(ended).toEqual(["third true", "first false", "second false"]);
  expect(vi.getTimerCount()).toBe(0);
  void callers.open().promise.then(note("fourth"));
  await vi.advanceTimersByTimeAsync(2_000);
  expect(ended.at(-1)).toBe("fourth false");
});

test("an imitation takes as long as the latest answer, and is the same", async () => {
  const callers = openWaitingCallers(60_000);
  const answer = callers.open();
  await vi.advanceTimersByTimeAsync(30);
  answer.settle(false);
  let imitated: boolean | undefined;
  void callers.imitate().then((taken) => (imitated = taken));
  await vi.advanceTimersByTimeAsync(29);
  expect(imitated).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  expect(imitated).toBe(false);
});

test("after ten in a row that waited to the deadline in vain none waits, until the provider takes a mail", async () => {
  const callers = openWaitingCallers(2_000);
  const waitInVain = async (count: number) => {
    for (let one = 0; one < count; one += 1) callers.open();
    await vi.advanceTimersByTimeAsync(2_000);
  };
  await waitInVain(9);
  callers.resume();
  await waitInVain(9);
  const tenth = callers.open();
  // What the provider refuses soon has not waited in vain.
  tenth.settle(false);
  expect(vi.getTimerCount()).toBe(0);
  callers.open();
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await callers.open().promise).toBe(false);
  const imitated = callers.imitate();
  await vi.advanceTimersByTimeAsync(0);
  expect(await imitated).toBe(false);
  expect(vi.getTimerCount()).toBe(0);
  callers.resume();
  callers.open();
  expect(vi.getTimerCount()).toBe(1);
});

test("once answers have ended none waits: those that did are false, and so are later ones", async () => {
  const callers = openWaitingCallers(60_000);
  const taken = callers.open();
  taken.settle(true);
  await vi.advanceTimersByTimeAsync(30);
  const waiting = [taken.promise, callers.open().promise];
  callers.end();
  expect(await Promise.all([...waiting, callers.imitate()])).toEqual([true, false, false]);
  expect(await callers.open().promise).toBe(false);
  expect(vi.getTimerCount()).toBe(0);
});
