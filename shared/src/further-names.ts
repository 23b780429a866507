// Which names a form may give to fields of its own. The service keeps what they hold (server/src/intake/further-fields.ts).
import { altchaField, consentPageField, consentTextField, honeypotField, nextField } from "./hidden-fields.ts";
import { languageField } from "./language.ts";
import { textLengthMax } from "./limits.ts";

/** The hidden field of a form without script that holds what programs send as the `Idempotency-Key` header. */
export const idempotencyKeyField = "idempotencyKey";

/** What a body says beside the fields of the submission. */
export const hiddenFields: readonly string[] = [
  honeypotField,
  altchaField,
  languageField,
  consentTextField,
  consentPageField,
  nextField,
];
const captchas = ["g-recaptcha-response", "h-captcha-response", "cf-turnstile-response"];
const neverKept: ReadonlySet<string> = new Set([...hiddenFields, idempotencyKeyField, ...captchas]);

// `__proto__` is none, because names that begin with `_` are those of frameworks.
const nameShape = new RegExp(`^(?!_)[\\p{L}\\p{N}_.[\\]-]{1,${textLengthMax.furtherName}}$`, "u");

/** Whether a name may be that of a further field, where no procedure has a field of that name. */
export const isFurtherName = (name: string): boolean => nameShape.test(name) && !neverKept.has(name);

/** The further field that holds the person's letter: the team is shown it first. */
export const messageField = "message";

/** Names of campaigns. */
export const isCampaignName = (name: string): boolean => name.startsWith("utm_");

/** Further fields as people read them: the letter, the others as the form has them, and the names of campaigns. */
export function inReadingOrder(more: Readonly<Record<string, string>> | null): [name: string, text: string][] {
  const rank = (name: string) => (name === messageField ? 0 : isCampaignName(name) ? 2 : 1);
  return Object.entries(more ?? {}).toSorted(([one], [other]) => rank(one) - rank(other));
}
