// What a form says of the privacy notice that it showed. These are no fields of any submission: no schema names them, and
// no value of them is ever refused, because the person who sends the form did not write them (docs/adr/0025).
import { optionalWebUrl } from "./addresses.ts";
import { textLengthMax } from "./limits.ts";
import { optionalText, readText, type TextRule } from "./text.ts";

/** Name of the field with the version of the text that was shown: `2026-11`, at most 100 code points. */
export const consentTextField = "consentText";

/** Name of the field with the address of the page that showed it. */
export const consentPageField = "consentPage";

/** Which text a form showed, and where. */
export interface SentConsent {
  readonly text: string;
  /** Without query and fragment, which may name the person; null: not told. */
  readonly page: string | null;
}

const versionRule = optionalText(textLengthMax.consentText);

/**
 * Reads the two fields. A version that is blank or breaks its rule counts as none, and so does a page that is no web
 * address.
 */
export function readConsent(version: string, page: string): SentConsent | null {
  const text = valueOf(versionRule, version);
  const address = valueOf(optionalWebUrl, page);
  return text === undefined ? null : { text, page: address?.replace(/[?#].*$/s, "") ?? null };
}

function valueOf(rule: TextRule, raw: string): string | undefined {
  const reading = readText(rule, raw);
  return reading.problem === undefined ? reading.value : undefined;
}
