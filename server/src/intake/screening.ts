// What a call came with beside the fields of its procedure: the trap for programs that fill in every field, and the
// solution of a challenge. What the trap catches is answered like everything else, so that nobody learns which field gave
// him away.
import { altchaField } from "@submissions/shared/altcha";
import { cleanText } from "@submissions/shared/fields";
import { honeypotField } from "@submissions/shared/honeypot";
import type { Store } from "../storage/store.ts";
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

/** The solution that an input carries; null when there is none, or more than one. */
export function solutionIn(input: unknown): string | null {
  if (input instanceof FormData) return onlyText(input.getAll(altchaField));
  return typeof input === "object" && input !== null
    ? onlyText([(input as Record<string, unknown>)[altchaField]])
    : null;
}

const onlyText = ([value, ...more]: readonly unknown[]): string | null =>
  typeof value === "string" && value !== "" && more.length === 0 ? value : null;

const isFilled = (value: unknown): boolean =>
  typeof value === "string" ? cleanText(value) !== "" : value !== undefined && value !== null;

/** What a submission becomes: new, or spam that waits for an operator. */
export const bornAs = ({ trapped }: Call): { readonly status: "new" | "spam" } => ({
  status: trapped ? "spam" : "new",
});

/**
 * Whether an earlier submission was caught. Its repetition is answered by this, whatever the repetition holds: a receipt
 * that turned into none once a field is left out would give the field away.
 */
export async function wasTrapped(store: Pick<Store, "findSubmission">, reference: string): Promise<boolean> {
  const found = await store.findSubmission(reference);
  if (found === null) return false;
  return (found.kind === "inquiry" ? found.inquiry : found.application).status === "spam";
}
