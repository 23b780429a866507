// The fields of an inquiry (field-table.ts says what each part is for).
import { companyField, emailField, type FieldGroup, type FieldTable } from "./field-table.ts";
import { packageIdsMax, textLengthMax } from "./limits.ts";
import { personName, requiredText } from "./text.ts";

/** What the references of inquiries begin with. */
export const inquiryPrefix = "INQ";

/** The fields of an inquiry. */
export const inquiryFields = {
  name: {
    kind: "text",
    rule: personName,
    label: "Name",
    en: { label: "Your name", missing: "Enter your name." },
    description: "The buyer's name.",
    example: "Ann Buyer",
    autocomplete: "name",
    half: true,
  },
  company: { ...companyField, description: "The buyer's company.", example: "Example Speech Ltd" },
  email: { ...emailField, example: "ann@example.org" },
  selectedPackageIds: {
    kind: "packages",
    rule: requiredText(textLengthMax.packageId),
    label: "Packages",
    en: { label: "Packages you are interested in", missing: "Select at least one package." },
    description: "Identifiers of the packages asked for. Repeats are dropped, the order is kept.",
    example: ["en-GB-scottish", "de-AT"],
  },
} as const satisfies FieldTable;

/** The order of the form. */
export const inquiryForm: readonly FieldGroup<keyof typeof inquiryFields>[] = [
  { title: null, fields: ["selectedPackageIds", "name", "company", "email"] },
];

/** How many packages there may be, with the message for each bound. */
export const packageCounts = {
  min: [1, "Select at least one package."],
  max: [packageIdsMax, `Select at most ${packageIdsMax} packages.`],
} as const;
