// All texts in both languages, for servers and tests. Browsers load a language when a page needs it.
import type { Language } from "../language.ts";
import { german } from "./form-strings-de.ts";
import { english, type FormStrings, stringsOf } from "./form-strings.ts";

/** The texts of the forms in each language. */
export const formTexts: Readonly<Record<Language, FormStrings>> = {
  en: english,
  de: stringsOf("de", german),
};
