// The text rules as zod schemas, from which the schemas of the submissions are built.
import * as z from "zod";
import * as addresses from "./addresses.ts";
import type { Field } from "./field-table.ts";
import { missing, readText, type TextRule } from "./text.ts";

export { emailKey } from "./addresses.ts";

// A form field that was sent twice arrives as a list.
const notText = (issue: { readonly input?: unknown }) =>
  issue.input === undefined ? missing : "This field must be one text.";

// One check for the whole rule: it replaces the raw text by the cleaned one, or adds one issue. Chained refinements and
// transforms would do the same at several times the cost.
const text = (rule: TextRule) =>
  z.string({ error: notText }).check((payload) => {
    const { value: input } = payload;
    const reading = readText(rule, input);
    if (reading.problem === undefined) payload.value = reading.value as string;
    else payload.issues.push({ code: "custom", message: reading.problem, input });
  });

const lengthsOf = ({ lengthMax, format }: TextRule) => ({ ...(format && { format }), maxLength: lengthMax });

/** A field of text, as far as its schema depends on it. */
type TextField<Required extends boolean> = Partial<Pick<Field, "description">> & { readonly rule: TextRule<Required> };

/** The schema of a text that must be filled in. */
export const required = ({ rule, description }: TextField<true>) =>
  text(rule).meta({ minLength: 1, ...lengthsOf(rule), ...(description && { description }) });

/** The schema of a text that may be left out. A blank one becomes undefined. */
export const optional = ({ rule, description }: TextField<false>) =>
  text(rule)
    .meta(lengthsOf(rule))
    .optional()
    .meta(description ? { description } : {});

/** One e-mail address. Compare two with {@link emailKey}. */
export const email = required({ rule: addresses.email });
