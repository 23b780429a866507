import { expect, test } from "vitest";
import { Fault } from "../fault.ts";
import { throttleSignIns } from "./throttle.ts";

const minuteMs = 60_000;
const fail = async () => null;
const succeed = async () => "in";
const by = (client: string, typed: string | null, device: string | null = null) => ({ client, typed, device });

function open() {
  const clock = { at: 1_000_000, elapsed: () => clock.at };
  return { clock, throttle: throttleSignIns(clock) };
}

type Throttle = ReturnType<typeof throttleSignIns>;

async function failTimes(throttle: Throttle, times: number, client: (at: number) => string, typed: string) {
  for (let at = 0; at < times; at += 1) expect(await throttle(by(client(at), typed), fail)).toBeNull();
}

test("ten failures a minute from one client are let through, then none for the rest of the minute", async () => {
  const { clock, throttle } = open();
  for (let at = 0; at < 10; at += 1) await throttle(by("client", `${at}@example.org`), fail);
  clock.at += 20_000;
  const refused = throttle(by("client", "other@example.org"), succeed);
  await expect(refused).rejects.toMatchObject({ fault: "signInThrottled", retryAfterSeconds: 40 });
  expect(await throttle(by("neighbour", "other@example.org"), succeed)).toBe("in");
  clock.at += 40_000;
  expect(await throttle(by("client", "other@example.org"), succeed)).toBe("in");
});

test("thirty failures in fifteen minutes from one client are too many", async () => {
  const { clock, throttle } = open();
  for (let round = 0; round < 3; round += 1) {
    for (let at = 0; at < 10; at += 1) await throttle(by("client", `${round}-${at}@example.org`), fail);
    clock.at += minuteMs;
  }
  const refused = throttle(by("client", "new@example.org"), succeed);
  await expect(refused).rejects.toMatchObject({ retryAfterSeconds: 12 * 60 });
  clock.at += 12 * minuteMs;
  expect(await throttle(by("client", "new@example.org"), succeed)).toBe("in");
});

test("ten failures for one address are too many from anywhere, however it is written", async () => {
  const { clock, throttle } = open();
  await failTimes(throttle, 10, (at) => `client ${at}`, "Anna@example.org");
  await expect(throttle(by("fresh", " anna@EXAMPLE.org"), succeed)).rejects.toBeInstanceOf(Fault);
  expect(await throttle(by("fresh", "ben@example.org"), succeed)).toBe("in");
  clock.at += 15 * minuteMs;
  expect(await throttle(by("fresh", "anna@example.org"), succeed)).toBe("in");
});

test("a device that is known is counted by itself: strangers do not lock it out, nor it others", async () => {
  const { clock, throttle } = open();
  await failTimes(throttle, 10, () => "client", "anna@example.org");
  expect(await throttle(by("client", "anna@example.org", "laptop"), succeed)).toBe("in");
  for (let at = 0; at < 10; at += 1) await throttle(by("office", "anna@example.org", "laptop"), fail);
  const refused = throttle(by("office", "anna@example.org", "laptop"), succeed);
  await expect(refused).rejects.toMatchObject({ fault: "signInThrottled", retryAfterSeconds: 15 * 60 });
  expect(await throttle(by("office", "ben@example.org"), succeed)).toBe("in");
  clock.at += 15 * minuteMs;
  expect(await throttle(by("office", "anna@example.org", "laptop"), succeed)).toBe("in");
});

test("successes are not counted, and whatever is thrown is", async () => {
  const { throttle } = open();
  for (let at = 0; at < 30; at += 1) await throttle(by("client", "anna@example.org"), succeed);
  for (let at = 0; at < 10; at += 1) {
    const thrown = at % 2 === 0 ? new Error("no storage") : new Fault("signInBusy");
    const attempt = throttle(by("client", "anna@example.org"), () => Promise.reject(thrown));
    await expect(attempt).rejects.toBe(thrown);
  }
  const refused = throttle(by("client", "anna@example.org"), succeed);
  await expect(refused).rejects.toMatchObject({ fault: "signInThrottled" });
});

test("tries at once are counted before any of them ends", async () => {
  const { throttle } = open();
  let ran = 0;
  const slow = async () => {
    ran += 1;
    await new Promise(setImmediate);
    return null;
  };
  const tries = Array.from({ length: 50 }, () => throttle(by("client", "anna@example.org"), slow));
  await Promise.allSettled(tries);
  expect(ran).toBe(10);
});
