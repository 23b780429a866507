// The addresses below INBOUND_ADDRESS: what persons answer to, and what reports of undelivered mails come to. Their tokens say
// which submission or mail is meant, and only this service can have written them.
import { createHmac, createSecretKey } from "node:crypto";
import { emailKey } from "@submissions/shared/addresses";
import type { Claimed, Named } from "../storage/records.ts";
import { seal, sealedDigits, textOf, unseal } from "./sealed-number.ts";

/** 104 bits of an HMAC, in hexadecimal. */
const tagDigits = 26;
const digits = tagDigits + sealedDigits;
/** So long a token is in base32. With the longest local part and a `+` it makes the 64 characters of RFC 5321 4.5.3.1.1. */
const tokenLength = Math.ceil((digits * 4) / 5);
export const inboundLocalLengthMax = 64 - 1 - tokenLength;

const letters = "abcdefghijklmnopqrstuvwxyz234567";

// Loops, because this is done for each receipt, and BigInt takes 2 µs longer.
function toBase32(hex: string): string {
  let text = "";
  // Of each 5 digits, 4 letters are made.
  for (let at = 0; at < digits; at += 5) {
    const bits = Number.parseInt(hex.slice(at, at + 5).padEnd(5, "0"), 16);
    for (const shift of [15, 10, 5, 0]) text += letters[(bits >> shift) & 31];
  }
  return text.slice(0, tokenLength);
}

/** The last letter has three bits more than the digits. */
const fromBase32 = (text: string): string =>
  (Array.from(text).reduce((number, letter) => number * 32n + BigInt(letters.indexOf(letter)), 0n) >> 3n)
    .toString(16)
    .padStart(digits, "0");

/** Whether an address is INBOUND_ADDRESS, or begins like it with a `+` behind. No mail is ever sent there. */
export function isBelow(inbound: string, address: string): boolean {
  const [local = "", host = ""] = emailKey(inbound).split("@");
  const key = emailKey(address);
  return key.endsWith(`@${host}`) && (key.startsWith(`${local}+`) || key.startsWith(`${local}@`));
}

export type InboundAddresses = ReturnType<typeof inboundAddresses>;

/** @param secret of the store */
export function inboundAddresses(inbound: string, secret: string) {
  const keyFor = (purpose: string) => createHmac("sha256", secret).update(`inbound ${purpose}`).digest();
  const tagKey = createSecretKey(keyFor("tag"));
  const maskKey = keyFor("mask").toString("hex");
  const at = inbound.lastIndexOf("@");
  const [start, end] = [`${inbound.slice(0, at)}+`, inbound.slice(at)];
  const form = new RegExp(`\\+([a-z2-7]{${tokenLength}})@`);
  const write = (named: Named): string => {
    const tag = createHmac("sha256", tagKey).update(textOf(named)).digest("hex").slice(0, tagDigits);
    return start + toBase32(seal(tag, named, maskKey)) + end;
  };
  return {
    of: write,
    /** What the token of an address says that it names, if it is below INBOUND_ADDRESS; to be proven by `isFor`. */
    read(address: string): Claimed | null {
      const token = isBelow(inbound, address) ? form.exec(emailKey(address))?.[1] : undefined;
      return token === undefined ? null : unseal(fromBase32(token), maskKey);
    },
    /** Whether the address has the token of exactly this. */
    isFor: (address: string, named: Named) => emailKey(address) === emailKey(write(named)),
    includes: (address: string) => isBelow(inbound, address),
  };
}
