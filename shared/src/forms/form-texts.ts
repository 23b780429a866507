// The texts of the languages that are always there, for servers and tests. Browsers load a language when a page needs it.
import german from "../languages/de.json" with { type: "json" };
import type { Language } from "../language.ts";
import { english, type FormStrings } from "./form-strings.ts";
import { stringsIn } from "./override-strings.ts";

/** The texts of the forms by their language. */
export const formTexts: ReadonlyMap<Language, FormStrings> = new Map([
  ["en", english],
  ["de", stringsIn("de", german.forms)],
]);
