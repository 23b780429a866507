// Reads what a form says of the privacy notice that it showed. Refuses nothing.
import { optionalWebUrl } from "@submissions/shared/addresses";
import { textLengthMax } from "@submissions/shared/limits";
import { optionalText, readText, type TextRule } from "@submissions/shared/text";
import type { ConsentRecord } from "../storage/records.ts";

const versionRule = optionalText(textLengthMax.consentText);

/**
 * A version that is blank or breaks its rule counts as none, and so does a page that is no web address. The page loses
 * query and fragment, which may name the person.
 */
export function readConsent(version: string, page: string): Omit<ConsentRecord, "at"> | null {
  const text = valueOf(versionRule, version);
  const address = valueOf(optionalWebUrl, page);
  return text === undefined ? null : { text, page: address?.replace(/[?#].*$/s, "") ?? null };
}

function valueOf(rule: TextRule, raw: string): string | undefined {
  const reading = readText(rule, raw);
  return reading.problem === undefined ? reading.value : undefined;
}
