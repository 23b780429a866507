// The rules of texts as zod schemas, of which the submissions' schemas are built. What is refused stands in the rules.
import { z } from "zod";
import * as rules from "./text.ts";
import { isBlank, missing, type TextRule } from "./text.ts";

export { cleanText, isNormalisable } from "./text.ts";

// A form field that was sent twice arrives as a list.
const notText = (issue: { readonly input?: unknown }) =>
  issue.input === undefined ? missing : "This field must be one text.";

/** A blank optional text counts as absent. */
const absentIfBlank = (value: string | undefined) => (value === undefined || isBlank(value) ? undefined : value);

const text = ({ clean, checks, json }: TextRule) =>
  checks
    .reduce(
      (schema, [passes, message]) => schema.refine(passes, message),
      z.string({ error: notText }).overwrite(clean),
    )
    .meta(json);

/** The schema of a text that must be there. */
export const required = (rule: TextRule<true>) => text(rule);

/** The schema of a text that need not be there. */
export const optional = (rule: TextRule<false>) => text(rule).optional().transform(absentIfBlank);

/** Required single-line text of 1 to `max` code points. */
export const requiredText = (max: number) => required(rules.requiredText(max));

/** Optional text of at most `max` code points; blank is absent. */
export const optionalText = (options: rules.TextOptions) => optional(rules.optionalText(options));

/** A person's name. */
export const personName = required(rules.personName);

/** An optional http or https address. */
export const optionalWebUrl = optional(rules.optionalWebUrl);

/** An optional telephone number. */
export const optionalPhone = optional(rules.optionalPhone);

/** One e-mail address. Compare two with {@link emailKey}. */
export const email = required(rules.email);

/** The form in which two e-mail addresses are compared. */
export const emailKey = (address: string): string => address.toLowerCase();
