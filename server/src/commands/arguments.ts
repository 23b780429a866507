// Reads what stands on the command line. What cannot be meant is a usage error, told before anything is opened.
import { InvalidArgumentError } from "commander";
import { applicationReference, inquiryReference } from "@submissions/shared/reference";

const dateShape = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/**
 * A day, meaning its first moment in UTC, or an instant with its zone. A time without a zone is refused: it would mean
 * something else on every machine.
 *
 * @returns milliseconds since the epoch
 */
export function parseSince(text: string): number {
  try {
    if (dateShape.test(text)) {
      return Temporal.Instant.from(text.length === 10 ? `${text}T00:00Z` : text).epochMilliseconds;
    }
  } catch (error) {
    // A day that no calendar has, like 30 February.
    if (!(error instanceof RangeError)) throw error;
  }
  throw new InvalidArgumentError("Write a day like 2026-11-21 or an instant like 2026-11-21T09:30:00Z.");
}

/** A whole number of at least 1. */
export const parseCount =
  (max: number) =>
  (text: string): number => {
    const count = /^[0-9]{1,9}$/.test(text) ? Number(text) : 0;
    if (count >= 1 && count <= max) return count;
    throw new InvalidArgumentError(`Write a whole number from 1 to ${max.toLocaleString("en")}.`);
  };

/** The reference of an application. */
export function parseApplicationReference(text: string): string {
  const reference = applicationReference.safeParse(text.trim().toUpperCase());
  if (reference.success) return reference.data;
  throw new InvalidArgumentError("Write a reference like APP-20261121-907715.");
}

/** The reference of an inquiry or an application. */
export function parseReference(text: string): string {
  const given = text.trim().toUpperCase();
  for (const kind of [inquiryReference, applicationReference]) {
    const reference = kind.safeParse(given);
    if (reference.success) return reference.data;
  }
  throw new InvalidArgumentError("Write a reference like INQ-20261121-042137 or APP-20261121-907715.");
}
