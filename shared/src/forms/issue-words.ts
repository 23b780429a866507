// Translates the English messages of the rules and the service into the language of a form.
import type { FieldWords } from "../field-table.ts";
import type { Issue } from "../faults.ts";
import { packageCounts } from "../inquiry-fields.ts";
import { missing } from "../text.ts";
import type { FieldName, FormField } from "./form-fields.ts";
import type { FormStrings } from "./form-strings.ts";

/** A problem as the person reads it. */
export interface WordedIssue {
  /** Where it is shown; undefined when the form has no such field. */
  readonly field: FormField | undefined;
  readonly text: string;
}

/** Fills the `{…}` of a string. */
export const filled = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replace(/\{(\w+)\}/g, (slot, name: string) => String(values[name] ?? slot));

/** What a form says of a field. */
export const wordsOf = ({ name, words }: FormField, strings: FormStrings): FieldWords =>
  words ?? strings.fields[name as FieldName];

/** One message in the language of the form, or as it is when the strings do not have it. */
export function translated(message: string, strings: FormStrings): string {
  const quoted = /“(.*)”/s.exec(message)?.[1] ?? "…";
  const number = /\d[\d,]*/.exec(message.replace(quoted, ""))?.[0] ?? "#";
  const known = strings.messages[message] ?? strings.messages[message.replace(quoted, "…").replace(number, "#")];
  if (known === undefined) return message;
  const count = number === "#" ? number : Number(number.replaceAll(",", "")).toLocaleString(strings.lang);
  // Functions, because quoted text may hold patterns of `replace`.
  return known.replace("#", () => count).replace("…", () => quoted);
}

// The messages for a missing field.
const missingMessages: ReadonlySet<string> = new Set([missing, packageCounts.min[1]]);

/** The problems of a form in its language, in the order of its fields; those without a field come last. */
export function wordedIssues(
  shown: readonly FormField[],
  issues: readonly Issue[],
  strings: FormStrings,
): WordedIssue[] {
  const fields = [...shown, undefined];
  const fieldOf = ({ path }: Issue) => fields.find((field) => field?.name === path[0]);
  return fields.flatMap((field) =>
    issues
      .filter((issue) => fieldOf(issue) === field)
      .map(({ message }) => ({
        field,
        text:
          (field && missingMessages.has(message) && wordsOf(field, strings).missing) || translated(message, strings),
      })),
  );
}

/** The first problem of a field. */
export const issueOf = (issues: readonly WordedIssue[], name: string): string | undefined =>
  issues.find(({ field }) => field?.name === name)?.text;
