// Checks a form before it is sent, by the same rules that the service applies.
import type { Issue } from "@submissions/shared/faults";
import { packageIdsOf, type FormField } from "@submissions/shared/forms/form-fields";
import { packageCounts } from "@submissions/shared/inquiry-fields";
import { isBlank, missing, readText, type TextRule } from "@submissions/shared/text";

/** The problems of the text fields, at most one for each field. The resume is checked elsewhere. */
export function checkValues(fields: readonly FormField[], values: FormData): Issue[] {
  return fields.flatMap(({ name, kind, rule }) => {
    const texts = values.getAll(name).map(String);
    const message = rule && (kind === "packages" ? checkPackages(rule, texts) : checkText(rule, texts[0] ?? ""));
    return message === undefined ? [] : [{ path: [name], message }];
  });
}

// A blank text is not sent at all, so it is missing however long it is.
function checkText(rule: TextRule, raw: string): string | undefined {
  if (isBlank(raw)) return rule.required ? missing : undefined;
  return readText(rule, raw).problem;
}

function checkPackages(rule: TextRule, sent: readonly string[]): string | undefined {
  const { min, max } = packageCounts;
  const ids = packageIdsOf(sent);
  if (ids.length < min[0]) return min[1];
  if (ids.length > max[0]) return max[1];
  return ids.map((id) => readText(rule, id).problem).find((problem) => problem !== undefined);
}
