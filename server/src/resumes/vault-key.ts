// How kept files are named, in every vault alike: a copy from one vault to another keeps the names that the store knows.
import { randomBytes } from "node:crypto";

/** `yyyy/mm/dd/` and 128 random bits. Anything else is an attempt to guess paths. */
export const keyPattern = /^\d{4}\/\d{2}\/\d{2}\/[0-9a-f]{32}$/;

/** The folder of the UTC day of an instant (milliseconds since the epoch). */
export const dayOf = (now: number): string => new Date(now).toISOString().slice(0, 10).replaceAll("-", "/");

/** A new key in the folder of a day. */
export const drawKey = (day: string): string => `${day}/${randomBytes(16).toString("hex")}`;

/** @throws RangeError */
export const assertKey = (key: string): void => {
  if (!keyPattern.test(key)) throw new RangeError("not a key of this vault");
};
