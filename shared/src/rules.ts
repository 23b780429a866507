// The rule of each text field. The schemas add descriptions and the fields that are not text; the forms check by these
// rules before they send.
import { email, optionalWebUrl } from "./addresses.ts";
import { packageIdsMax, textLengthMax } from "./limits.ts";
import { optionalMultilineText, optionalPhone, optionalText, personName, requiredText } from "./text.ts";

/** The texts of an inquiry. */
export const inquiryRules = {
  name: personName,
  company: optionalText(textLengthMax.company),
  email,
};

/** The packages of an inquiry: the rule of an identifier, and how many there may be with the message for each bound. */
export const packageIdsRule = {
  item: requiredText(textLengthMax.packageId),
  min: [1, "Select at least one package."],
  max: [packageIdsMax, `Select at most ${packageIdsMax} packages.`],
} as const;

/** The texts of a subscription that can be refused. Its source never is. */
export const subscriptionRules = { email };

/** The texts of an application. */
export const applicationRules = {
  fullName: personName,
  email,
  position: requiredText(textLengthMax.position),
  phone: optionalPhone,
  company: optionalText(textLengthMax.company),
  availability: optionalText(textLengthMax.availability),
  accent: optionalText(textLengthMax.accent),
  portfolioUrl: optionalWebUrl,
  resumeUrl: optionalWebUrl,
  coverLetter: optionalMultilineText(textLengthMax.coverLetter),
};
