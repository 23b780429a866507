// Puts a page's own words over those of a language.
import type { FormStrings } from "./form-strings.ts";

/** Some of the strings, at any depth. */
export type StringsOverride = DeepPartial<FormStrings>;

type DeepPartial<Value> = Value extends string ? Value : { readonly [Name in keyof Value]?: DeepPartial<Value[Name]> };

/** The strings of a language with those of the page in their place. */
export const overriddenStrings = (strings: FormStrings, override: StringsOverride): FormStrings =>
  merged(strings, override);

function merged<Value extends object>(base: Value, override: object): Value {
  const entries = Object.entries(override).map(([name, value]: [string, unknown]) => {
    const own = (base as Readonly<Record<string, unknown>>)[name];
    return [name, typeof own === "object" && own !== null ? merged(own, Object(value)) : value];
  });
  return { ...base, ...Object.fromEntries(entries) };
}
