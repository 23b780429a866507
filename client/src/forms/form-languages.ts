// Which words a form speaks: those of the nearest `lang`, with whatever the page says differently. English comes with the
// forms; another language is loaded by pages that speak it.
import { english, type FormStrings } from "@submissions/shared/forms/form-strings";

/** Some of the strings, at any depth. */
export type StringsOverride = DeepPartial<FormStrings>;

type DeepPartial<Value> = Value extends string ? Value : { readonly [Name in keyof Value]?: DeepPartial<Value[Name]> };

const languages = new Map<string, FormStrings>([["en", english]]);

const loaders: Readonly<Record<string, () => Promise<FormStrings>>> = {
  de: async () => (await import("@submissions/shared/forms/form-strings-de")).german,
};

/** Loads the language that an element speaks; undefined when there is nothing to wait for. */
export function languageLoading(element: Element): Promise<void> | undefined {
  const language = languageAround(element);
  const load = languages.has(language) ? undefined : loaders[language];
  return load?.().then(
    (strings) => void languages.set(language, strings),
    // TypeError: it could not be fetched. English is better than nothing.
    (error: unknown) => console.warn(`The forms could not be had in ${language}.`, error),
  );
}

/** The strings of an element, in its language if we speak it, else in English. */
export const stringsFor = (element: Element, override: StringsOverride): FormStrings =>
  merged(languages.get(languageAround(element)) ?? english, override);

function languageAround(element: Element): string {
  const speaking = element.closest<HTMLElement>("[lang]");
  if (speaking) return speaking.lang.toLowerCase().split("-")[0]!;
  // Out of the shadow trees that the element stands in.
  const root = element.getRootNode();
  return root instanceof ShadowRoot ? languageAround(root.host) : "en";
}

function merged<Value extends object>(base: Value, override: object): Value {
  const entries = Object.entries(override).map(([name, value]: [string, unknown]) => {
    const own = (base as Readonly<Record<string, unknown>>)[name];
    return [name, typeof own === "object" && own !== null ? merged(own, Object(value)) : value];
  });
  return { ...base, ...Object.fromEntries(entries) };
}
