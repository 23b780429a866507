// Checks a form before it is sent, by the same rules that the service applies.
import type { Issue } from "@submissions/shared/faults";
import { packageIdsOf, type FormName } from "@submissions/shared/forms/form-fields";
import { applicationRules, inquiryRules, packageIdsRule, subscriptionRules } from "@submissions/shared/rules";
import { isBlank, missing, readText, type TextRule } from "@submissions/shared/text";

const rulesOf: Readonly<Record<FormName, Readonly<Record<string, TextRule>>>> = {
  inquiry: inquiryRules,
  newsletter: subscriptionRules,
  application: applicationRules,
};

/** The problems of the text fields, at most one for each field. The resume is checked elsewhere. */
export function checkValues(form: FormName, values: FormData): Issue[] {
  const texts = Object.entries(rulesOf[form]).flatMap(([name, rule]) => {
    const value = values.get(name);
    const message = checkText(rule, typeof value === "string" ? value : "");
    return message === undefined ? [] : [{ path: [name], message }];
  });
  return form === "inquiry" ? [...texts, ...checkPackages(values.getAll("selectedPackageIds").map(String))] : texts;
}

// A blank text is not sent at all, so it is missing however long it is.
function checkText(rule: TextRule, raw: string): string | undefined {
  if (isBlank(raw)) return rule.required ? missing : undefined;
  return readText(rule, raw).problem;
}

function checkPackages(sent: readonly string[]): Issue[] {
  const { item, min, max } = packageIdsRule;
  const ids = packageIdsOf(sent);
  const wrong = ids.map((id) => checkText(item, id)).find((message) => message !== undefined);
  const message = ids.length < min[0] ? min[1] : ids.length > max[0] ? max[1] : wrong;
  return message === undefined ? [] : [{ path: ["selectedPackageIds"], message }];
}
