// What a form sends beside the documented fields: a message, a budget, a campaign. It is kept
// as texts within bounds; what exceeds them is left out. Names are a stranger's, never looked up in objects with prototypes.
import { idempotencyKeyField } from "@submissions/shared/forms/form-fields";
import {
  altchaField,
  consentPageField,
  consentTextField,
  honeypotField,
  nextField,
} from "@submissions/shared/hidden-fields";
import { kinds } from "@submissions/shared/kinds";
import { languageField } from "@submissions/shared/language";
import { furtherFieldsMax, textLengthMax } from "@submissions/shared/limits";
import { optionalMultilineText, readText } from "@submissions/shared/text";

/** Texts by the names that the form gave them, in its order. Never empty. */
export type FurtherFields = Readonly<Record<string, string>>;

/** A subscription keeps none. */
const keeping: ReadonlySet<string> = new Set(Object.values(kinds).map(({ procedure }) => procedure));

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

const valueRule = optionalMultilineText(textLengthMax.furtherValue);

/** The further fields among what the body held beside those of the procedure; null: none. Repeated ones are joined. */
export function readFurtherFields(
  procedure: string,
  sent: readonly (readonly [string, unknown])[],
): FurtherFields | null {
  if (sent.length === 0 || !keeping.has(procedure)) return null;
  const texts = new Map<string, string>();
  for (const [name, value] of sent) {
    if (!isFurtherName(name)) continue;
    const text = asText(value);
    const earlier = texts.get(name);
    if (text !== "") texts.set(name, earlier === undefined ? text : `${earlier}, ${text}`);
  }
  const kept: [string, string][] = [];
  for (const [name, text] of texts) {
    const { value } = readText(valueRule, text);
    if (value !== undefined && kept.push([name, value]) === furtherFieldsMax) break;
  }
  return kept.length === 0 ? null : Object.fromEntries(kept);
}

/** Empty for what is left out. */
const asText = (value: unknown): string =>
  typeof value === "boolean" || Number.isFinite(value) ? String(value) : typeof value === "string" ? value : "";
