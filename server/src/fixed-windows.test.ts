import { expect, test } from "vitest";
import { FixedWindows } from "./fixed-windows.ts";

const open = (ms: number) => {
  const clock = { at: 5_000, elapsed: () => clock.at };
  return { clock, windows: new FixedWindows(ms, clock) };
};

test("a window begins with the first count, and ends when it said it would", () => {
  const { clock, windows } = open(1_000);
  expect(windows.of("a")).toEqual({ count: 0, msLeft: 0 });
  expect(windows.add("a", 3)).toEqual({ count: 3, msLeft: 1_000 });
  clock.at += 999;
  expect(windows.add("a")).toEqual({ count: 4, msLeft: 1 });
  expect(windows.of("b")).toEqual({ count: 0, msLeft: 0 });
  clock.at += 1;
  expect(windows.of("a")).toEqual({ count: 0, msLeft: 0 });
  expect(windows.add("a")).toEqual({ count: 1, msLeft: 1_000 });
});

test("no window lasts longer than it should, whatever the fraction of the millisecond it begins at", () => {
  const { clock, windows } = open(1_000);
  for (let begin = 0; begin < 10_000; begin += 1) {
    clock.at = begin * 0.1;
    expect(windows.add(`${begin}`).msLeft).toBe(1_000);
  }
});

test("what is taken back belongs to a window that lasts", () => {
  const { clock, windows } = open(1_000);
  windows.add("a");
  windows.takeBack("a");
  windows.takeBack("a");
  expect(windows.add("a").count).toBe(1);
  clock.at += 1_000;
  windows.takeBack("a");
  expect(windows.of("a").count).toBe(0);
});

test("of too many keys the oldest are forgotten, and none that lasts of fewer", () => {
  const { clock, windows } = open(1_000);
  for (let key = 0; key < 50_000; key += 1) windows.add(`${key}`);
  expect(windows.of("0").count).toBe(1);
  windows.add("one more");
  expect([windows.of("0").count, windows.of("1").count, windows.of("one more").count]).toEqual([0, 1, 1]);
  clock.at += 1_000;
  windows.add("later");
  expect(windows.add("1")).toEqual({ count: 1, msLeft: 1_000 });
});
