// The words of a form: those of the nearest `lang`, with the page's own in their place. English comes with the forms;
// another language is loaded by pages that use it: German with the script, others from the service.
import { english, type FormStrings } from "@submissions/shared/forms/form-strings";
import { overriddenStrings, stringsIn, type StringsOverride } from "@submissions/shared/forms/override-strings";
import { languageAmong } from "@submissions/shared/language";
import { formConfig } from "./form-config.ts";

/** By the tag that a page has. What cannot be had in its language is English. */
const texts = new Map<string, FormStrings>([["en", english]]);

/** A slow service must not keep a form from being shown; it then changes its language later. */
const patienceMs = 2_000;

/**
 * Loads the language of an element; undefined when it is loaded.
 *
 * @param late called when the words come after the form is shown
 */
export function languageLoading(
  element: Element,
  endpoint: string | undefined,
  late: () => void,
): Promise<unknown> | undefined {
  const tag = languageAround(element);
  if (texts.has(tag) || tag.startsWith("en-")) return undefined;
  const loading = load(tag, endpoint).then(
    (strings) => void (strings && texts.set(tag, strings)),
    // TypeError: a file could not be fetched. The form is shown in English.
    (error: unknown) => console.warn(`There are no words in "${tag}".`, error),
  );
  void loading.then(late);
  return Promise.race([loading, new Promise((resolve) => setTimeout(resolve, patienceMs))]);
}

async function load(tag: string, endpoint: string | undefined): Promise<FormStrings | undefined> {
  if (/^de\b/.test(tag)) {
    const file = await import("@submissions/shared/languages/de.json", { with: { type: "json" } });
    return stringsIn("de", file.default.forms);
  }
  if (endpoint === undefined) return undefined;
  const { languages = [] } = await formConfig(endpoint);
  const language = languageAmong(tag, new Set(languages));
  if (language === "en") return english;
  const answer = await fetch(`${endpoint}/forms/${language}.json`);
  return stringsIn(language, (await answer.json()) as StringsOverride);
}

/** The strings of an element in its language, or in English where its language is unknown. */
export const stringsFor = (element: Element, override: StringsOverride): FormStrings =>
  overriddenStrings(texts.get(languageAround(element)) ?? english, override);

/** The language tag of an element, in small letters. */
function languageAround(element: Element): string {
  const speaking = element.closest<HTMLElement>("[lang]");
  if (speaking) return speaking.lang.toLowerCase();
  // `closest` ends at a shadow root.
  const root = element.getRootNode();
  return root instanceof ShadowRoot ? languageAround(root.host) : "en";
}
