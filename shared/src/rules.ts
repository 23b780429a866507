// Which rule each text of a submission follows. The schemas add descriptions and what is no text; the forms check by
// these before they send.
import { packageIdsMax, textLengthMax } from "./limits.ts";
import { email, optionalPhone, optionalText, optionalWebUrl, personName, requiredText } from "./text.ts";

/** The texts of an inquiry. */
export const inquiryRules = {
  name: personName,
  company: optionalText({ max: textLengthMax.company }),
  email,
};

/** The packages of an inquiry: each identifier, and how many there are. */
export const packageIdsRule = {
  item: requiredText(textLengthMax.packageId),
  min: [1, "Select at least one package."],
  max: [packageIdsMax, `Select at most ${packageIdsMax} packages.`],
} as const;

/** The texts of a subscription that can be refused; its source never is. */
export const subscriptionRules = { email };

/** The texts of an application. */
export const applicationRules = {
  fullName: personName,
  email,
  position: requiredText(textLengthMax.position),
  phone: optionalPhone,
  company: optionalText({ max: textLengthMax.company }),
  availability: optionalText({ max: textLengthMax.availability }),
  accent: optionalText({ max: textLengthMax.accent }),
  portfolioUrl: optionalWebUrl,
  resumeUrl: optionalWebUrl,
  coverLetter: optionalText({ max: textLengthMax.coverLetter, multiline: true }),
};
