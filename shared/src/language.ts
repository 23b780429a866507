// The language that a form was filled in. It is no field of any submission; no schema names it, and it is not part of an
// idempotency fingerprint.

/**
 * A language of forms, mails to submitters and pages, as in HTML's `lang`, in small letters. `en` and `de` are always there,
 * others where an installation has files for them.
 */
export type Language = string;

/** The languages in which the console begins a message, and that a saved answer may have. */
export const greetingLanguages = ["en", "de"] as const;
export type GreetingLanguage = (typeof greetingLanguages)[number];

/** Name of the hidden field in which a form says its language. */
export const languageField = "lang";

/** BCP 47 allows longer tags; those of real languages, scripts and regions have at most 11. */
const tagLengthMax = 35;

/** The languages that are there. */
export type KnownLanguages = Pick<ReadonlySet<Language>, "has">;

/** Reads a language tag like `de-AT`: itself or its language where that is known, else English. */
export function languageAmong(tag: unknown, known: KnownLanguages): Language {
  if (typeof tag !== "string" || tag.length > tagLengthMax) return "en";
  const whole = tag.toLowerCase();
  const language = whole.split("-", 1)[0]!;
  return [whole, language].find((one) => known.has(one)) ?? "en";
}

/** The language in which the console greets a person who filled in a form. */
export const greetingLanguageOf = (language: unknown): GreetingLanguage =>
  typeof language === "string" && /^de(?:-|$)/i.test(language) ? "de" : "en";

const rightToLeft = /^(?:ar|ckb|dv|fa|he|ps|sd|ug|ur|yi)(?:-|$)(?!latn)/i;

/** The direction in which a language is written. */
export const directionOf = (language: Language): "ltr" | "rtl" => (rightToLeft.test(language) ? "rtl" : "ltr");
