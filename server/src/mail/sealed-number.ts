// The number of a row in what strangers see of a mail: its Message-ID, and the address that answers come to. Numbers count the
// submissions, so they are hidden. A tag stands before each, which only this service can make.
import { hash } from "node:crypto";
import type { Claimed, Named } from "../storage/records.ts";

/** Hexadecimal digits of a number behind its tag. */
export const sealedDigits = 12;

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
  const pad = hash("sha256", `${key} mask ${tag}`, "buffer");
  const bytes = Buffer.alloc(sealedDigits / 2);
  bytes.writeUIntBE(number, 0, bytes.length);
  return bytes.map((byte, at) => byte ^ pad[at]!).toHex();
}
