// The number of a row in what strangers see of a mail: its Message-ID, and the address that answers come to. Numbers count the
// submissions, so they are hidden. A tag stands before each, which only this service can make.
import { hash } from "node:crypto";
import type { Claimed, Named } from "../storage/records.ts";

/** Hexadecimal digits of a number behind its tag. */
export const sealedDigits = 12;
const half = sealedDigits / 2;

/** A mail by what its id is made of. */
export function namedMail(id: string): Named {
  // Not `split`, which keeps what it has cut: 2 µs a mail.
  const end = id.indexOf("-");
  return { of: "mail", row: Number(id.slice(0, end)), at: Number.parseInt(id.slice(end + 1), 36) };
}

/** What a tag is made of. */
export const textOf = ({ of, row, at }: Named): string => `${of} ${row} ${at}`;

/** @param tag lower-case hexadecimal @param key a secret */
export const seal = (tag: string, { of, row }: Claimed, key: string): string =>
  tag + mask(tag, row * 2 + (of === "mail" ? 1 : 0), key);

export function unseal(sealed: string, key: string): Claimed {
  const tag = sealed.slice(0, -sealedDigits);
  const number = Number.parseInt(mask(tag, Number.parseInt(sealed.slice(-sealedDigits), 16), key), 16);
  return { of: number % 2 === 1 ? "mail" : "submission", row: Math.floor(number / 2) };
}

/** Hides a number of 48 bits, or shows it again. */
function mask(tag: string, number: number, key: string): string {
  // As text: a hash in a buffer takes three times as long.
  const pad = hash("sha256", `${key} mask ${tag}`);
  const masked = (bits: number, at: number) =>
    (bits ^ Number.parseInt(pad.slice(at, at + half), 16)).toString(16).padStart(half, "0");
  // In halves of 24 bits: bitwise operators work on 32.
  return masked(Math.floor(number / 2 ** 24), 0) + masked(number % 2 ** 24, half);
}
