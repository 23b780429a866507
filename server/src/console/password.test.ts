import { expect, test } from "vitest";
import { Fault } from "../fault.ts";
import { Passwords } from "./password.ts";

const passwords = new Passwords();
const place = { holder: "192.0.2.0/24", isKnown: false };

test("a password verifies against its hash and no other does", async () => {
  const stored = await passwords.hash("correct horse battery", place);
  expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  expect(await passwords.verify("correct horse battery", stored, place)).toBe(true);
  expect(await passwords.verify("correct horse batterx", stored, place)).toBe(false);
  expect(await passwords.hash("correct horse battery", place)).not.toBe(stored);
});

test("accents verify however the keyboard writes them", async () => {
  const stored = await passwords.hash("Wu\u0308rfel am Fenster", place);
  expect(await passwords.verify("W\u00fcrfel am Fenster", stored, place)).toBe(true);
});

const cheap = "$argon2id$v=19$m=256,t=3,p=2$c29tZXNhbHQ$RmjTCsQYfmh47t6s8P2DxaCjDbLMFu8L";

test("hashes with other costs go on working", async () => {
  expect(await passwords.verify("password", cheap, place)).toBe(true);
});

test("without a stored password nothing verifies", async () => {
  expect(await passwords.verify("", null, place)).toBe(false);
});

const refusedOf = async (tries: readonly Promise<unknown>[]) =>
  (await Promise.allSettled(tries)).filter(({ status }) => status === "rejected") as PromiseRejectedResult[];

const from = (network: number) => ({ holder: `192.0.${network}.0/24`, isKnown: false });
const knownOf = (holder: string) => ({ holder, isKnown: true });

test("two run at once, twenty wait, the next is refused, and those behind the wait are served", async () => {
  const busy = new Passwords();
  // Those without a stored password wait like all others.
  const storedOf = (at: number) => (at < 22 ? cheap : null);
  const refused = await refusedOf(Array.from({ length: 24 }, (_, at) => busy.verify("x", storedOf(at), from(at))));
  expect(refused).toHaveLength(2);
  expect(refused[0]!.reason).toBeInstanceOf(Fault);
  expect(refused[0]!.reason).toMatchObject({ fault: "signInBusy", retryAfterSeconds: 2 });
  expect(await busy.verify("x", cheap, place)).toBe(false);
});

test("one network has four places, and gets them back", async () => {
  const busy = new Passwords();
  const forty = Array.from({ length: 40 }, () => busy.verify("x", cheap, place));
  const other = busy.verify("x", cheap, from(7));
  expect(await refusedOf(forty)).toHaveLength(36);
  expect(await other).toBe(false);
  expect(await refusedOf(Array.from({ length: 4 }, () => busy.verify("x", cheap, place)))).toEqual([]);
});

test("one operator has two places, and gets them back", async () => {
  const busy = new Passwords();
  const twentyTwo = Array.from({ length: 22 }, () => busy.verify("x", cheap, knownOf("anna@example.org")));
  const other = busy.verify("x", cheap, knownOf("ben@example.org"));
  expect(await refusedOf(twentyTwo)).toHaveLength(20);
  expect(await other).toBe(false);
  const two = Array.from({ length: 2 }, () => busy.verify("x", cheap, knownOf("anna@example.org")));
  expect(await refusedOf(two)).toEqual([]);
});

test("devices that are known and those that are not are served by turns", async () => {
  const busy = new Passwords();
  const served: string[] = [];
  const note = (who: string) => (): void => void served.push(who);
  const known = Array.from({ length: 22 }, (_, at) => busy.verify("x", cheap, knownOf(`${at}@example.org`)));
  const others = Array.from({ length: 20 }, (_, at) => busy.verify("x", cheap, from(at)));
  await Promise.all([...known.map((one) => one.then(note("known"))), ...others.map((one) => one.then(note("other")))]);
  expect(served).toHaveLength(42);
  // How long each takes is up to the machine: two run at once.
  for (const half of [served.slice(2, 22), served.slice(22)]) {
    expect(half.filter((who) => who === "other").length).toBeGreaterThanOrEqual(9);
    expect(half.filter((who) => who === "known").length).toBeGreaterThanOrEqual(9);
  }
});

test("strangers of many networks take no place from a device that is known, and it does not wait behind them", async () => {
  const busy = new Passwords();
  const strangers = Array.from({ length: 40 }, (_, at) => busy.verify("x", cheap, from(at)));
  const settled: string[] = [];
  const note = (who: string) => (): void => void settled.push(who);
  const all = [
    ...strangers.map((one) => one.then(note("stranger"), () => {})),
    busy.verify("x", cheap, knownOf("anna@example.org")).then(note("known")),
  ];
  await Promise.all(all);
  // It takes the first place that gets free, before the twenty that wait; how long each then takes is up to the machine.
  expect(settled.indexOf("known")).toBeLessThan(12);
  expect(settled).toHaveLength(23);
});
