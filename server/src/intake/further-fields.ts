// What a form sends beside the documented fields: a message, a budget, a campaign. It is kept
// as texts within bounds; what exceeds them is left out. Names are a stranger's, never looked up in objects with prototypes.
import { isFurtherName, messageField } from "@submissions/shared/further-names";
import { kinds } from "@submissions/shared/kinds";
import { furtherFieldsMax, textLengthMax } from "@submissions/shared/limits";
import { optionalMultilineText, readText } from "@submissions/shared/text";

/** Texts by the names that the form gave them, in its order. Never empty. */
export type FurtherFields = Readonly<Record<string, string>>;

/** A subscription keeps none. */
const keeping: ReadonlySet<string> = new Set(Object.values(kinds).map(({ procedure }) => procedure));

const valueRule = optionalMultilineText(textLengthMax.furtherValue);

/** The further fields among what the body held beside those of the procedure; null: none. Repeated ones are joined. */
export function readFurtherFields(
  procedure: string,
  sent: readonly (readonly [string, unknown])[],
): FurtherFields | null {
  if (sent.length === 0 || !keeping.has(procedure)) return null;
  const texts = new Map<string, string>();
  for (const [name, value] of sent) {
    if (!isFurtherName(name)) continue;
    const text = asText(value);
    const earlier = texts.get(name);
    if (text !== "") texts.set(name, earlier === undefined ? text : `${earlier}, ${text}`);
  }
  const valid = [...texts].flatMap(([name, text]): [string, string][] => {
    const { value } = readText(valueRule, text);
    return value === undefined ? [] : [[name, value]];
  });
  // However many fields come before the letter, it is kept.
  const letterAt = valid.findIndex(([name]) => name === messageField);
  const end = letterAt < furtherFieldsMax ? furtherFieldsMax : furtherFieldsMax - 1;
  const kept = valid.filter((_, at) => at < end || at === letterAt);
  return kept.length === 0 ? null : Object.fromEntries(kept);
}

/** Empty for what is left out. */
const asText = (value: unknown): string =>
  typeof value === "boolean" || Number.isFinite(value) ? String(value) : typeof value === "string" ? value : "";
