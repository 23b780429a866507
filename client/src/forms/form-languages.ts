// The words of a form: those of the nearest `lang`, with the page's own in their place. English comes with the forms;
// another language is loaded by pages that use it.
import { english, type FormStrings, stringsOf } from "@submissions/shared/forms/form-strings";
import { overriddenStrings, type StringsOverride } from "@submissions/shared/forms/override-strings";

const languages = new Map<string, FormStrings>([["en", english]]);

const loaders: Readonly<Record<string, () => Promise<FormStrings>>> = {
  de: async () => stringsOf("de", (await import("@submissions/shared/forms/form-strings-de")).german),
};

/** Loads the language of an element; undefined when it is loaded or unknown. */
export function languageLoading(element: Element): Promise<void> | undefined {
  const language = languageAround(element);
  const load = languages.has(language) ? undefined : loaders[language];
  return load?.().then(
    (strings) => void languages.set(language, strings),
    // TypeError: the file could not be fetched. The form is shown in English.
    (error: unknown) => console.warn(`The words of the forms in "${language}" could not be loaded.`, error),
  );
}

/** The strings of an element in its language, or in English where its language is unknown. */
export const stringsFor = (element: Element, override: StringsOverride): FormStrings =>
  overriddenStrings(languages.get(languageAround(element)) ?? english, override);

function languageAround(element: Element): string {
  const speaking = element.closest<HTMLElement>("[lang]");
  if (speaking) return speaking.lang.toLowerCase().split("-")[0]!;
  // `closest` ends at a shadow root.
  const root = element.getRootNode();
  return root instanceof ShadowRoot ? languageAround(root.host) : "en";
}
