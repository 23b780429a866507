// Says in a form's language what the rules and the service say in English.
import type { Issue } from "../faults.ts";
import { packageIdsRule } from "../rules.ts";
import { missing } from "../text.ts";
import { fieldsOf, type FieldName, type FormField, type FormName } from "./form-fields.ts";
import type { FormStrings } from "./form-strings.ts";

/** A problem as the person reads it. */
export interface WordedIssue {
  /** The field that it is shown at; undefined when the form has none of that name. */
  readonly field: FormField | undefined;
  readonly text: string;
}

/** Fills the `{…}` of a string. */
export const filled = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replace(/\{(\w+)\}/g, (slot, name: string) => String(values[name] ?? slot));

/** One message in the form's language, or as it came when the strings do not have it. */
export function translated(message: string, strings: FormStrings): string {
  const quoted = /“(.*)”/s.exec(message)?.[1] ?? "…";
  const number = /\d[\d,]*/.exec(message.replace(quoted, ""))?.[0] ?? "#";
  const known = strings.messages[message] ?? strings.messages[message.replace(quoted, "…").replace(number, "#")];
  if (known === undefined) return message;
  const count = number === "#" ? number : Number(number.replaceAll(",", "")).toLocaleString(strings.lang);
  // Functions, because text that a stranger typed may hold what `replace` takes for a pattern.
  return known.replace("#", () => count).replace("…", () => quoted);
}

// What the rules say of a field that is missing.
const missingMessages: ReadonlySet<string> = new Set([missing, packageIdsRule.min[1]]);

/** The problems of a form in its own words, in the order of its fields; those of no field come last. */
export function wordedIssues(form: FormName, issues: readonly Issue[], strings: FormStrings): WordedIssue[] {
  const fields = [...fieldsOf(form), undefined];
  const fieldOf = ({ path }: Issue) => fields.find((field) => field?.name === path[0]);
  return fields.flatMap((field) =>
    issues
      .filter((issue) => fieldOf(issue) === field)
      .map(({ message }) => ({
        field,
        text:
          (field && missingMessages.has(message) && strings.fields[field.name].missing) || translated(message, strings),
      })),
  );
}

/** The first problem of a field. */
export const issueOf = (issues: readonly WordedIssue[], name: FieldName): string | undefined =>
  issues.find(({ field }) => field?.name === name)?.text;
