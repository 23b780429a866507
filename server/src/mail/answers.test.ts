import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Answers } from "./answers.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("an answer is what it is settled with first", async () => {
  const answer = new Answers(60_000).open();
  answer.settle(true);
  answer.settle(false);
  expect(await answer.promise).toBe(true);
});

test("an answer is false at its deadline, and leaves no timer behind", async () => {
  const answers = new Answers(2_000);
  const ended: string[] = [];
  const note = (name: string) => (taken: boolean) => void ended.push(`${name} ${taken}`);
  void answers.open().promise.then(note("first"));
  await vi.advanceTimersByTimeAsync(500);
  void answers.open().promise.then(note("second"));
  const third = answers.open();
  void third.promise.then(note("third"));
  third.settle(true);
  await vi.advanceTimersByTimeAsync(1_499);
  expect(ended).toEqual(["third true"]);
  await vi.advanceTimersByTimeAsync(1);
  expect(ended).toEqual(["third true", "first false"]);
  await vi.advanceTimersByTimeAsync(500);
  expect(ended).toEqual(["third true", "first false", "second false"]);
  expect(vi.getTimerCount()).toBe(0);
  void answers.open().promise.then(note("fourth"));
  await vi.advanceTimersByTimeAsync(2_000);
  expect(ended.at(-1)).toBe("fourth false");
});

test("the latest answer is remembered with the time that it took", async () => {
  const answers = new Answers(60_000);
  expect(answers.latest).toEqual({ ms: 0, taken: true });
  const answer = answers.open();
  await vi.advanceTimersByTimeAsync(30);
  answer.settle(false);
  expect(answers.latest).toEqual({ ms: 30, taken: false });
});
