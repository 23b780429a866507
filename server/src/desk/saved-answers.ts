// Saved answers: texts with placeholders, which are filled from a submission.
import { packageIdsOf, textNamed } from "../field-values.ts";
import type { StoredSubmission } from "../storage/records.ts";

const known = ["name", "reference", "packages", "position", "company"];
const placeholder = /\{([^{}\n]*)\}/g;

/** The placeholders of a text that stand for nothing, with their braces. */
export const unknownPlaceholders = (text: string): string[] =>
  [...text.matchAll(placeholder)].flatMap(([whole, name = ""]) => (known.includes(name) ? [] : [whole]));

/** A text with the values of a submission; what it lacks is left empty. A value is never read for placeholders. */
export function filled(text: string, submission: StoredSubmission, titles: ReadonlyMap<string, string> | null): string {
  const packages = packageIdsOf(submission).map((id) => titles?.get(id) ?? id);
  const valueOf = (key: string) => (key === "packages" ? packages.join(", ") : textNamed(submission, key));
  return text.replace(placeholder, (whole, key: string) => (known.includes(key) ? (valueOf(key) ?? "") : whole));
}
