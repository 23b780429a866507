// The daily digest as a row of the outbox.
import type { Digest } from "../records.ts";
import { storedDay } from "./days.ts";

/** The columns of a digest: its day, which is unique, and what it says. */
export const digestColumns = (digest: Digest): readonly [day: number, digest: string] => [
  storedDay(Date.parse(digest.day)),
  JSON.stringify(digest),
];

/** Null when it cannot be read: another version may have written it. */
export function readDigest(json: string): Digest | null {
  try {
    const read = JSON.parse(json) as Partial<Digest> | null;
    const { day, inquiry, application, mails, longest } = read ?? {};
    if (typeof day !== "string" || inquiry === undefined || application === undefined) return null;
    return mails === undefined || !Array.isArray(longest) ? null : { day, inquiry, application, mails, longest };
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
