// Saved answers: texts with placeholders, which are filled from a submission.
import { looksLikeName, looksLikeTitle } from "@submissions/shared/names";
import { packageIdsOf, textNamed } from "../field-values.ts";
import type { StoredSubmission } from "../storage/records.ts";

const known = ["name", "reference", "packages", "position", "company"];
const placeholder = /\{([^{}\n]*)\}/g;
const spaced = new RegExp(`( ?)${placeholder.source}`, "g");

// Control characters: no text of an operator or a form holds any.
const [listBegin, listEnd] = ["\u0002", "\u0003"];
const beforeList = new RegExp(`(^|\\n)?${listBegin}`, "g");
const behindList = new RegExp(`${listEnd}[.,;]? ?(\\n|$)?`, "g");

/** The placeholders of a text that stand for nothing, with their braces. */
export const unknownPlaceholders = (text: string): string[] =>
  [...text.matchAll(placeholder)].flatMap(([whole, name = ""]) => (known.includes(name) ? [] : [whole]));

/**
 * Fills a text with the values of a submission. What it lacks is left out with the space before it, and so are words of a
 * stranger that look like no name or title. A value is never read for placeholders.
 * @returns `leftOut`: the placeholders whose values, or some of them, were left out because they may be links or advertising
 */
export function fill(answer: string, submission: StoredSubmission, titles: ReadonlyMap<string, string> | null) {
  const leftOut = new Set<string>();
  const valueOf = (key: string): readonly string[] => {
    const isPackages = key === "packages";
    const sent = isPackages ? packageIdsOf(submission) : [textNamed(submission, key) ?? ""].filter(Boolean);
    // A title is the catalogue's own.
    const titleOf = (one: string) => (isPackages ? titles?.get(one) : undefined);
    const fits = key === "name" ? looksLikeName : looksLikeTitle;
    const taken = sent.flatMap((one) => titleOf(one) ?? (fits(one) ? one : []));
    if (taken.length < sent.length) leftOut.add(`{${key}}`);
    return taken;
  };
  const filled = answer.replace(spaced, (whole, space: string, key: string) => {
    if (!known.includes(key)) return whole;
    const [value, ...further] = valueOf(key);
    if (value === undefined) return "";
    if (further.length === 0) return space + value;
    // Several are a list of lines, because titles have commas.
    return listBegin + [value, ...further].map((one) => `- ${one}`).join("\n") + listEnd;
  });
  // A list has its lines to itself, without what would end the sentence.
  const text = filled
    .replaceAll(beforeList, (_, line?: string) => line ?? "\n")
    .replaceAll(behindList, (_, line?: string) => line ?? "\n");
  return { text, leftOut: [...leftOut] };
}
