// What intake knows of a call beside the fields of its submission: the door, the key, the deadline, and the hidden fields
// of the body.
import { optionalWebUrl } from "@submissions/shared/addresses";
import { altchaField, consentPageField, consentTextField, honeypotField } from "@submissions/shared/hidden-fields";
import { languageField, languageOf, type Language } from "@submissions/shared/language";
import { textLengthMax } from "@submissions/shared/limits";
import { cleanLine, optionalText, readText } from "@submissions/shared/text";
import type { ConsentRecord, Door, LeasedMail } from "../storage/records.ts";

export interface Call {
  readonly door: Door;
  readonly requestId: string;
  /** The caller's Idempotency-Key, 1 to 255 printable ASCII characters, or null. Never stored or logged as it is. */
  readonly key: string | null;
  /** Whether the honeypot was filled: kept as spam, without mail, and answered like a success. */
  readonly spam: boolean;
  /** The solution of a proof of work; null when there was none. */
  readonly solution: string | null;
  /** Which privacy notice the form showed; null: it did not tell. */
  readonly consent: Omit<ConsentRecord, "at"> | null;
  readonly language: Language;
  /** When the caller stops waiting, by `performance.now()`. */
  readonly deadline: number;
  /** Told when the answer is that of an earlier call with the same key. */
  readonly replayed: () => void;
  readonly watch: CallWatch;
}

/**
 * The stages of a submission, in their order. Each begins where the one before ended, the first with the request. `read`:
 * gates and body. `validate`: fields, a repeated key, proof of work. `resume`: keeping it. `store`: waiting for the
 * commit. `mail`: waiting for the receipt.
 */
export type Stage = "read" | "validate" | "resume" | "store" | "mail";

/** Follows a call through its stages, for metrics and traces. */
export interface CallWatch {
  ended(stage: Stage): void;
  /** Told before the mails of the submission are handed to the outbox. */
  stored(mails: readonly LeasedMail[]): void;
}

/** What a body says of its call beside the fields of the submission. */
export const readHiddenFields = (input: object): Pick<Call, "spam" | "solution" | "language" | "consent"> => ({
  spam: valuesOf(input, honeypotField).some(isFilled),
  solution: onlyText(valuesOf(input, altchaField)),
  language: languageOf(valuesOf(input, languageField)[0]),
  consent: readConsent(
    onlyText(valuesOf(input, consentTextField)) ?? "",
    onlyText(valuesOf(input, consentPageField)) ?? "",
  ),
});

function valuesOf(input: object, field: string): readonly unknown[] {
  if (input instanceof FormData) return input.getAll(field);
  return [(input as Readonly<Record<string, unknown>>)[field]];
}

// Browsers send the empty field with the form. Only the beginning of a text is looked at: cleaning takes time.
const isFilled = (value: unknown): boolean =>
  typeof value === "string" ? value.length > 1_000 || cleanLine(value) !== "" : value !== undefined && value !== null;

const onlyText = ([value, ...more]: readonly unknown[]): string | null =>
  typeof value === "string" && value !== "" && more.length === 0 ? value : null;

const versionRule = optionalText(textLengthMax.consentText);

/**
 * Which privacy notice a form showed. Refuses nothing: a version that is blank or breaks its rule counts as none, and so
 * does a page that is no web address. The page loses query and fragment, which may name the person.
 */
function readConsent(version: string, page: string): Call["consent"] {
  const text = readText(versionRule, version).value;
  const address = readText(optionalWebUrl, page).value;
  return text === undefined ? null : { text, page: address?.replace(/[?#].*$/s, "") ?? null };
}
