// What an inquiry adds to the path of a submission: the packages that this service offers, its record, its receipt.
import type { InquiryInput, InquiryReceipt } from "@submissions/shared/inquiry";
import type { Issue } from "@submissions/shared/faults";
import { packageIdsMax, textLengthMax } from "@submissions/shared/limits";
import { cleanLine } from "@submissions/shared/text";
import { valuesOf } from "../field-values.ts";
import type { Feature, Intake } from "./submit.ts";

export const inquiry: Feature<InquiryInput, InquiryReceipt> = {
  procedure: "marketplace.inquiry",
  refusals: (intake, { selectedPackageIds }) => unknownPackages(intake, selectedPackageIds),
  record: (input, { received, resume, more }) => ({
    ...received,
    kind: "inquiry",
    ...valuesOf("inquiry", input),
    resume,
    more,
  }),
  delivery: "awaited",
  receipt: ({ reference, confirmationEmailSent }) => ({
    message: "Thank you. We received your inquiry, and our sales team will contact you by e-mail.",
    inquiryId: reference,
    confirmationEmailSent,
  }),
};

/** Every identifier that the catalogue does not hold; none without a catalogue. */
function unknownPackages({ packageTitles }: Pick<Intake, "packageTitles">, ids: readonly string[]): Issue[] {
  if (packageTitles === null) return [];
  return ids.flatMap((id, position) =>
    packageTitles.has(id)
      ? []
      : [{ path: ["selectedPackageIds", position], message: `“${id}” is not a package we offer.` }],
  );
}

/** The same of an input that the schema refuses, so that they are reported together with what it finds. */
export function unknownRawPackages(intake: Intake, raw: { readonly selectedPackageIds?: unknown }): Issue[] {
  const ids = raw.selectedPackageIds;
  if (!Array.isArray(ids) || ids.length > packageIdsMax) return [];
  const texts = ids.map((id: unknown) =>
    typeof id === "string" && id.length <= textLengthMax.packageId ? cleanLine(id) : "",
  );
  return unknownPackages(intake, texts);
}
