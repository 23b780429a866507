import { randomInt } from "node:crypto";
import { expect, test } from "vitest";
import { inboundAddresses, inboundLocalLengthMax, isBelow } from "./inbound-address.ts";
import type { Named } from "../storage/records.ts";

const addresses = inboundAddresses("answers@desk.example", "key");
const submission: Named = { of: "submission", row: 7, at: 1_700_000_000_000 };

test("an address names what it was made of, in any case of its letters, and nothing else", () => {
  for (let round = 0; round < 100; round += 1) {
    const of = round % 2 === 0 ? "submission" : "mail";
    const named: Named = { of, row: randomInt(1, 2 ** 40), at: randomInt(0, 2 ** 42) };
    const address = addresses.of(named);
    expect(address).toMatch(/^answers\+[a-z2-7]{31}@desk\.example$/);
    for (const one of [address, address.toUpperCase()]) {
      expect(addresses.read(one)).toEqual({ of, row: named.row });
      expect(addresses.isFor(one, named)).toBe(true);
      expect(addresses.isFor(one, { ...named, row: named.row + 1 })).toBe(false);
      expect(addresses.isFor(one, { ...named, at: named.at + 1 })).toBe(false);
    }
  }
});

test("an address that was changed at any place, or made with another key, is not the one of what it reads as", () => {
  const address = addresses.of(submission);
  const others = [inboundAddresses("answers@desk.example", "other").of(submission)];
  for (let place = 8; place < 8 + 31; place += 1) {
    const letter = address[place] === "a" ? "b" : "a";
    others.push(address.slice(0, place) + letter + address.slice(place + 1));
  }
  for (const other of others) {
    const read = addresses.read(other);
    expect(read !== null && addresses.isFor(other, { ...submission, ...read })).toBe(false);
  }
});

test("addresses that follow each other have nothing in common", () => {
  const [one, other] = [7, 8].map((row) => addresses.of({ ...submission, row }));
  const same = Array.from({ length: 31 }, (_, at) => at + 8).filter((at) => one![at] === other![at]);
  expect(same.length).toBeLessThan(12);
});

test("what is below the address is told from what only looks like it", () => {
  for (const yes of [
    "answers@desk.example",
    "Answers@DESK.example",
    "answers+x@desk.example",
    "answers+@desk.example",
  ]) {
    expect(isBelow("Answers@desk.example", yes), yes).toBe(true);
  }
  for (const no of [
    "answer@desk.example",
    "answersx@desk.example",
    "x+answers@desk.example",
    "answers+x@a.desk.example",
  ]) {
    expect(isBelow("answers@desk.example", no), no).toBe(false);
    expect(addresses.read(no)).toBeNull();
  }
});

test("the longest local part leaves room for the token", () => {
  const local = "a".repeat(inboundLocalLengthMax);
  const address = inboundAddresses(`${local}@desk.example`, "key").of(submission);
  expect(address.indexOf("@")).toBe(64);
});
