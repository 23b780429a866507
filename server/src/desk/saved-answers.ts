// Saved answers: texts with placeholders, which are filled from a submission.
import type { StoredSubmission } from "../storage/records.ts";

type PackageTitles = ReadonlyMap<string, string>;

type Values = Pick<StoredSubmission, "reference" | "name" | "company"> & {
  readonly packages: string;
  readonly position: string;
};

const valuesOf = (submission: StoredSubmission, packageTitles: PackageTitles | null): Values => ({
  reference: submission.reference,
  name: submission.name,
  company: submission.company,
  packages:
    submission.kind === "inquiry"
      ? submission.selectedPackageIds.map((id) => packageTitles?.get(id) ?? id).join(", ")
      : "",
  position: submission.kind === "application" ? submission.position : "",
});

const known: readonly string[] = ["name", "reference", "packages", "position", "company"] satisfies (keyof Values)[];
const placeholder = /\{([^{}\n]*)\}/g;

/** The placeholders of a text that stand for nothing, with their braces. */
export const unknownPlaceholders = (text: string): string[] =>
  [...text.matchAll(placeholder)].flatMap(([whole, name = ""]) => (known.includes(name) ? [] : [whole]));

/** A text with the values of a submission; what it lacks is left empty. A value is never read for placeholders. */
export function filled(text: string, submission: StoredSubmission, packageTitles: PackageTitles | null): string {
  const values: Readonly<Record<string, string | null>> = valuesOf(submission, packageTitles);
  return text.replace(placeholder, (whole, name: string) => (known.includes(name) ? (values[name] ?? "") : whole));
}
