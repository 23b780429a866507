// Puts the words of a language over the English ones, and a page's own over those of a language.
import type { Language } from "../language.ts";
import { english, type FormStrings } from "./form-strings.ts";

/** Some of the strings, at any depth. */
export type StringsOverride = DeepPartial<FormStrings>;

type DeepPartial<Value> = Value extends string ? Value : { readonly [Name in keyof Value]?: DeepPartial<Value[Name]> };

/** The strings of a language with those of the page in their place. */
export const overriddenStrings = (strings: FormStrings, override: StringsOverride): FormStrings =>
  overridden(strings, override);

/** The strings of a language by its file. What the file lacks is said in English. */
export const stringsIn = (lang: Language, words: StringsOverride): FormStrings =>
  overridden(english, { ...words, lang });

/** An object with what another one says in its place, at any depth. */
export function overridden<Value extends object>(base: Value, override: object): Value {
  const entries = Object.entries(override).map(([name, value]: [string, unknown]) => {
    const own = (base as Readonly<Record<string, unknown>>)[name];
    return [name, typeof own === "object" && own !== null ? overridden(own, Object(value)) : value];
  });
  return { ...base, ...Object.fromEntries(entries) };
}
