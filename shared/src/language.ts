// The language that a form was filled in. It is no field of any submission; no schema names it, and it is not part of an
// idempotency fingerprint.

/** The languages that forms, mails to submitters and pages speak. */
export type Language = "en" | "de";

/** Name of the hidden field in which a form says its language. */
export const languageField = "lang";

/** Reads a language tag like `de-AT`. What is unknown or absent is English. */
export const languageOf = (tag: unknown): Language =>
  typeof tag === "string" && /^de(?:-|$)/i.test(tag.slice(0, 3)) ? "de" : "en";
