// Tells programs that fill in every field from people. What it catches is answered like everything else, so that nobody
// learns which field gave him away.
import { cleanText } from "@submissions/shared/fields";
import { honeypotField } from "@submissions/shared/honeypot";
import type { Call } from "./call.ts";

/**
 * Whether the trap is filled in. Null and blank text are not: browsers send the empty field with the form.
 *
 * @param input what a call came with, before any schema has seen it
 */
export function isTrapped(input: unknown): boolean {
  if (input instanceof FormData) return input.getAll(honeypotField).some(isFilled);
  return typeof input === "object" && input !== null && isFilled((input as Record<string, unknown>)[honeypotField]);
}

const isFilled = (value: unknown): boolean =>
  typeof value === "string" ? cleanText(value) !== "" : value !== undefined && value !== null;

/** What a submission becomes: new, or spam that waits for an operator. */
export const bornAs = ({ trapped }: Call): { readonly status: "new" | "spam" } => ({
  status: trapped ? "spam" : "new",
});
