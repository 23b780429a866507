// The fields that a page adds to a form: a message, a budget, a campaign. What they hold is kept as further fields. No page can
// declare a field, a limit or a guard of ours anew: such a name is left out.
import { isCampaignName, isFurtherName, messageField } from "../further-names.ts";
import { textLengthMax } from "../limits.ts";
import { optionalMultilineText, tooLong } from "../text.ts";
import { fieldsOf, forms, type FormField, type FormName } from "./form-fields.ts";
import type { FormStrings } from "./form-strings.ts";
import { translated } from "./issue-words.ts";

/** A text, or one for each language by its tag; `en` for all others. */
export type Worded = string | Readonly<Record<string, string>>;

/** One of a `select`: what is sent, and what is shown of it. */
interface Choice {
  readonly value: string | number;
  readonly label?: Worded | null | undefined;
}

/** A field of the page's own, as the attribute or property `fields` declares it. */
export interface OwnField {
  /**
   * 1 to 64 letters, digits, `_`, `-`, `.`, `[`, `]`. `message` is the letter; `utm_*` stands for the five usual names of
   * campaigns.
   */
  readonly name: string;
  /** By default the name. */
  readonly label?: Worded | undefined;
  /** By default `text`; `none` leaves out the message. */
  readonly type?: "text" | "textarea" | "select" | "checkbox" | "hidden" | "none" | undefined;
  /** Of a `select`: what is sent, or that with what is shown. */
  readonly options?: readonly (string | number | Choice)[] | undefined;
  readonly required?: boolean | undefined;
  /** Longest text in code points, at most 2,000. */
  readonly maximum?: number | undefined;
  /** What is sent by a ticked `checkbox` (`yes`) or a `hidden` field; without it, a hidden `utm_…` is taken from the page's address. */
  readonly value?: string | undefined;
}

const campaigns = ["utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content"];

const kinds: Readonly<Record<string, FormField["kind"]>> = {
  textarea: "paragraphs",
  select: "select",
  checkbox: "checkbox",
  hidden: "hidden",
};

/** The fields of a form, then those of the page's own. */
export function formFields(form: FormName, declared: readonly OwnField[] = [], strings: FormStrings): FormField[] {
  return [...fieldsOf(form), ...ownFields(form, declared, strings)];
}

/** The fields of a page's own that may be shown: a subscription has none, and a form without a letter has a message. */
export function ownFields(form: FormName, declared: readonly OwnField[] = [], strings: FormStrings): FormField[] {
  if (form === "newsletter") return [];
  const named = declared.filter((one) => one?.name);
  const message: OwnField = { name: messageField, label: strings.message, type: "textarea" };
  const hasLetter =
    fieldsOf(form).some(({ kind }) => kind === "paragraphs") || named.some(({ name }) => name === messageField);
  const all = [...named, ...(hasLetter ? [] : [message])].flatMap((one) =>
    one.name === "utm_*" ? campaigns.map((name): OwnField => ({ name, type: "hidden" })) : one,
  );
  const names = new Set(Object.keys(forms[form].fields));
  return all
    .filter(({ name }) => isFurtherName(name) && !names.has(name) && names.add(name))
    .map((one) => (one.name === messageField ? { ...message, ...one } : one))
    .filter(({ type }) => type !== "none")
    .map((one, at) => fieldFrom(one, at, strings));
}

function fieldFrom(one: OwnField, at: number, strings: FormStrings): FormField {
  // JSON of a page may say null of what it leaves out, and numbers where texts belong.
  const { name, label, type, options, required = false, maximum, value } = one;
  const kind = kinds[type!] ?? "text";
  const lengthMax = Math.min(maximum ?? Infinity, textLengthMax.furtherValue);
  const rule = { ...optionalMultilineText(lengthMax), required };
  // What is longer is left out by the service, so the form says it before.
  const hint = kind === "paragraphs" ? translated(tooLong(lengthMax), strings) : "";
  return {
    name,
    id: `own-${at}`,
    kind,
    rule,
    words: { label: wordOf(label ?? name, strings.lang), hint },
    options: [options ?? []].flat().flatMap((option) => {
      if (option === null) return [];
      const { value: id, label: title }: Choice = typeof option === "object" ? option : { value: option };
      return { id: `${id}`, title: wordOf(title ?? `${id}`, strings.lang) };
    }),
    value,
  };
}

const wordOf = (words: Worded, lang: string): string =>
  typeof words === "object" ? (words[lang] ?? words["en"] ?? "") : words;

/** What a hidden field without a value takes from the address of the page; null: nothing. */
export const campaignIn = ({ kind, name, value }: FormField, search: string): string | null =>
  kind === "hidden" && value === undefined && isCampaignName(name) ? new URLSearchParams(search).get(name) : null;
