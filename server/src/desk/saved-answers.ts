// Saved answers: texts with placeholders, which are filled from a submission.
import { looksLikeName, looksLikeTitle } from "@submissions/shared/names";
import { packageIdsOf, textNamed } from "../field-values.ts";
import type { StoredSubmission } from "../storage/records.ts";

const known = ["name", "reference", "packages", "position", "company"];
const placeholder = /\{([^{}\n]*)\}/g;
const spaced = new RegExp(`( ?)${placeholder.source}`, "g");

/** The placeholders of a text that stand for nothing, with their braces. */
export const unknownPlaceholders = (text: string): string[] =>
  [...text.matchAll(placeholder)].flatMap(([whole, name = ""]) => (known.includes(name) ? [] : [whole]));

/**
 * Fills a text with the values of a submission. What it lacks is left out with the space before it, and so are words of a
 * stranger that look like no name or title. A value is never read for placeholders.
 *
 * @returns `leftOut`: the placeholders whose values, or some of them, were left out because they may be links or advertising
 */
export function fill(text: string, submission: StoredSubmission, titles: ReadonlyMap<string, string> | null) {
  const leftOut = new Set<string>();
  const valueOf = (key: string): string => {
    const isPackages = key === "packages";
    const sent = isPackages ? packageIdsOf(submission) : [textNamed(submission, key) ?? ""].filter(Boolean);
    // A title is the catalogue's own.
    const titleOf = (one: string) => (isPackages ? titles?.get(one) : undefined);
    const fits = key === "name" ? looksLikeName : looksLikeTitle;
    const taken = sent.flatMap((one) => titleOf(one) ?? (fits(one) ? one : []));
    if (taken.length < sent.length) leftOut.add(`{${key}}`);
    return taken.join(", ");
  };
  const filled = text.replace(spaced, (whole, space: string, key: string) => {
    if (!known.includes(key)) return whole;
    const value = valueOf(key);
    return value === "" ? "" : space + value;
  });
  return { text: filled, leftOut: [...leftOut] };
}
