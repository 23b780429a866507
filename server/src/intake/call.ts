// One call of a procedure: what was sent, through which door, and what the body says beside the fields. It never changes.
import { optionalWebUrl } from "@submissions/shared/addresses";
import type { FaultName, Issue } from "@submissions/shared/faults";
import { altchaField, consentPageField, consentTextField, honeypotField } from "@submissions/shared/hidden-fields";
import { languageField, languageAmong, type KnownLanguages, type Language } from "@submissions/shared/language";
import { textLengthMax } from "@submissions/shared/limits";
import { cleanLine, optionalText, readText } from "@submissions/shared/text";
import type { StagedResume } from "../resumes/vault.ts";
import type { FurtherFields } from "./further-fields.ts";
import type { ConsentRecord, Door, LeasedMail } from "../storage/records.ts";

export interface Input {
  /** A JSON value, or what a form held. No schema has seen it. */
  readonly value: unknown;
  /** Problems of a form that the schema cannot see. They are reported together with its own. */
  readonly problems: readonly Problem[];
  readonly resume: StagedResume | null;
  /** What a form held that no field of it is. Absent: the value holds it. */
  readonly further?: readonly (readonly [string, unknown])[];
}

export interface Problem extends Issue {
  /** What the request is refused with when nothing else is wrong. */
  readonly fault: FaultName;
}

export interface Call extends Input {
  readonly value: object;
  readonly door: Door;
  readonly requestId: string;
  /** The caller's Idempotency-Key, 1 to 255 printable ASCII characters, or null. Never stored or logged as it is. */
  readonly key: string | null;
  /** Whether the honeypot was filled: kept as spam, without mail, and answered like a success. */
  readonly spam: boolean;
  readonly solution: string | null;
  readonly consent: Omit<ConsentRecord, "at"> | null;
  readonly language: Language;
  readonly more: FurtherFields | null;
  /** When the caller stops waiting, by `performance.now()`. */
  readonly deadline: number;
  readonly watch: CallWatch;
}

// The stages of a submission, in their order; the first begins with the request. `read`: gates and body. `validate`: fields,
// a repeated key, proof of work. `resume`: keeping it. `store`: waiting for the commit. `mail`: waiting for the receipt.
export type Stage = "read" | "validate" | "resume" | "store" | "mail";

export interface CallWatch {
  ended(stage: Stage): void;
  /** Told when the submission is stored, or was before with the same key. A subscription has no reference. */
  stored(reference: string | null, result: "accepted" | "repeated" | "spam"): void;
  /** Told before the mails of the submission are handed to the outbox. */
  mailed(mails: readonly LeasedMail[]): void;
}

/** What a body says of its call beside the fields of the submission. @param languages those that this service speaks */
export function readHiddenFields(input: object, languages: KnownLanguages) {
  const consentText = onlyText(valuesOf(input, consentTextField));
  return {
    spam: valuesOf(input, honeypotField).some(isFilled),
    solution: onlyText(valuesOf(input, altchaField)),
    language: languageAmong(valuesOf(input, languageField)[0], languages),
    consent: consentText === null ? null : readConsent(consentText, onlyText(valuesOf(input, consentPageField)) ?? ""),
  };
}

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

// What breaks a rule counts as absent. The page loses query and fragment, which may name the person.
function readConsent(version: string, page: string): Call["consent"] {
  const text = readText(versionRule, version).value;
  const address = readText(optionalWebUrl, page).value;
  return text === undefined ? null : { text, page: address?.replace(/[?#].*$/s, "") ?? null };
}
