// References are the labels that people quote (INQ-20261121-042137). They are unique and do not show the volume: the six
// digits are a keyed permutation of the counter of the day, which the store issues.
import * as z from "zod";

/** How many references a day and kind has: 000000 to 999999. */
export const referencesPerDay = 1_000_000;

/** The UTC date of an instant in milliseconds since the epoch, as the number yyyymmdd: in references and stored days. */
export function referenceDay(epochMs: number): number {
  const instant = new Date(epochMs);
  return (instant.getUTCFullYear() * 100 + instant.getUTCMonth() + 1) * 100 + instant.getUTCDate();
}

/**
 * Writes a reference.
 *
 * @param prefix three capital letters: that of the kind (kinds.ts)
 * @param day yyyymmdd, from {@link referenceDay}
 * @param number 0 to 999,999
 * @throws RangeError when the number does not fit six digits
 */
export function formatReference(prefix: string, day: number, number: number): string {
  if (!Number.isInteger(number) || number < 0 || number >= referencesPerDay) {
    throw new RangeError(`A reference number is 0 to 999,999, not ${number}.`);
  }
  return `${prefix}-${day}-${String(number).padStart(6, "0")}`;
}

/** Any reference: its prefix, day and digits. */
export const referenceShape = /^([A-Z]{3})-([0-9]{8})-([0-9]{6})$/;

/** The schema of a kind's references: `INQ-yyyymmdd-dddddd`, 19 characters. */
export const referenceOf = (prefix: string): z.ZodString =>
  z
    .string()
    .regex(new RegExp(`^${prefix}-[0-9]{8}-[0-9]{6}$`))
    .meta({ maxLength: 19, examples: [`${prefix}-20261121-042137`] });
