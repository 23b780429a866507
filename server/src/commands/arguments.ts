// Reads what stands on the command line. What cannot be read is a usage error, reported before anything is opened.
import { email } from "@submissions/shared/fields";
import { referenceShape } from "@submissions/shared/reference";
import { InvalidArgumentError } from "commander";
import { readInstant } from "../desk/instant.ts";

/** @returns milliseconds since the epoch */
export function parseSince(text: string): number {
  const at = readInstant(text);
  if (at !== null) return at;
  throw new InvalidArgumentError("Write a day like 2026-11-21 or an instant like 2026-11-21T09:30:00Z.");
}

export const parseNumber =
  (min: number, max: number) =>
  (text: string): number => {
    const number = /^[0-9]{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= min && number <= max) return number;
    throw new InvalidArgumentError(`Write a whole number from ${min} to ${max.toLocaleString("en")}.`);
  };

export function parseEmail(text: string): string {
  const parsed = email.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new InvalidArgumentError("Write an e-mail address like ana@example.org.");
}

/** A reference with one of these labels, in either case. */
const referenceOf =
  (...labels: readonly string[]) =>
  (text: string): string => {
    const reference = text.trim().toUpperCase();
    if (referenceShape.test(reference) && labels.includes(reference.slice(0, 3))) return reference;
    const examples = labels.map((label) => `${label}-20261121-042137`);
    throw new InvalidArgumentError(`Write a reference like ${examples.join(" or ")}.`);
  };

export const parseReference = referenceOf("INQ", "APP");
export const parseApplicationReference = referenceOf("APP");
