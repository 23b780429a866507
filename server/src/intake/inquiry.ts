// What an inquiry adds to the path of a submission: the packages that this service offers, its record, its receipt.
import type { InquiryInput, InquiryReceipt } from "@submissions/shared/inquiry";
import type { Issue } from "@submissions/shared/faults";
import { valuesOf } from "../field-values.ts";
import type { Intake } from "./intake.ts";
import type { Feature } from "./submit.ts";

export const inquiry: Feature<InquiryInput, InquiryReceipt> = {
  procedure: "marketplace.inquiry",
  refusals: (intake, { selectedPackageIds }) => unknownPackages(intake, selectedPackageIds),
  record: (input, { received }) => ({ ...received, kind: "inquiry", ...valuesOf("inquiry", input) }),
  delivery: "awaited",
  receipt: ({ reference, confirmationEmailSent }) => ({
    message: "Thank you. We received your inquiry, and our sales team will contact you by e-mail.",
    inquiryId: reference,
    confirmationEmailSent,
  }),
};

/** Every identifier that the catalogue does not hold; none without a catalogue. */
export function unknownPackages({ packageTitles }: Pick<Intake, "packageTitles">, ids: readonly string[]): Issue[] {
  if (packageTitles === null) return [];
  return ids.flatMap((id, position) =>
    packageTitles.has(id)
      ? []
      : [{ path: ["selectedPackageIds", position], message: `“${id}” is not a package we offer.` }],
  );
}
