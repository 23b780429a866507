// The languages of forms, pages and mails to persons: English and German, and those of an installation's own folder. A
// language is one file (docs/languages.md), and what it lacks is said in English.
import { english } from "@submissions/shared/forms/form-strings";
import { filled } from "@submissions/shared/forms/issue-words";
import { overridden, stringsIn } from "@submissions/shared/forms/override-strings";
import type { Language } from "@submissions/shared/language";
import german from "@submissions/shared/languages/de.json" with { type: "json" };
import { type Fields, isFields, jsonIn } from "../read-unknown.ts";
import type { SettingType } from "./setting-types.ts";
import { englishMails, folderOf, type MailWords, readFolder, readWords, type Words } from "./mail-words.ts";
import { englishPages } from "./page-words.ts";

/** What mails say beside their own words. */
const englishPhrases = {
  /** Before the name. */
  hello: "Hello",
  /** Below a button, before its address. */
  orOpen: "Or open this address:",
  /** How many packages, by the plural of the number (Intl.PluralRules). */
  packages: { one: "{count} package", other: "{count} packages" } as Readonly<Record<string, string>>,
  /** Behind those that have a title. */
  morePackages: "and {count} more",
};

export type LanguageWords = Readonly<Exclude<ReturnType<typeof readLanguage>, string>>;

export type Languages = ReadonlyMap<Language, LanguageWords>;

// What a file may say, with the English text for each. No field has all of its words in English.
const { lang: _, fields, ...otherForms } = english;
const known = {
  forms: {
    ...otherForms,
    fields: Object.fromEntries(Object.keys(fields).map((name) => [name, { label: "", hint: "", missing: "" }])),
    // A message is its own English text.
    messages: Object.fromEntries(Object.keys(german.forms.messages).map((message) => [message, message])),
  },
  pages: englishPages,
  mails: {
    ...englishPhrases,
    packages: Object.fromEntries(["zero", "one", "two", "few", "many", "other"].map((one) => [one, "{count}"])),
    ...Object.fromEntries([...englishMails.keys()].map((name) => [name.slice(0, -".en".length), [""]])),
  },
};

/** All mistakes of a file, each with where it is. */
function* mistakesIn(words: unknown, inEnglish: unknown, at: string): Generator<string, void> {
  if (Array.isArray(inEnglish)) {
    if (!Array.isArray(words) || !words.every((line) => typeof line === "string"))
      yield `${at} must be a list of lines.`;
  } else if (typeof inEnglish === "string") {
    if (typeof words !== "string" || words.trim() === "") {
      yield `${at} must be a text.`;
      return;
    }
    const slots = at.startsWith("forms.messages.") ? /[#…]/g : /\{\w+\}/g;
    const [found, wanted] = [words, inEnglish].map((text) => (text.match(slots) ?? []).toSorted().join(" "));
    if (found !== wanted)
      yield `${at} must have ${wanted === "" ? "no place in it" : wanted} and not ${found || "none"}.`;
  } else if (!isFields(words)) yield `${at} must be an object.`;
  else {
    for (const [name, one] of Object.entries(words)) {
      const place = at === "" ? name : `${at}.${name}`;
      if (Object.hasOwn(inEnglish as Fields, name)) yield* mistakesIn(one, (inEnglish as Fields)[name], place);
      else yield `${place} is not known.`;
    }
  }
}

/** A language of a file's content, or what is wrong with it. */
function readLanguage(language: Language, content: unknown) {
  if (!isFields(content)) return "must be a JSON object.";
  const mistakes = [...mistakesIn(content, known, "")];
  if (mistakes.length > 0) return mistakes.join(" ");
  const { forms = {}, pages = {}, mails: all = {} } = content as Readonly<Record<string, Fields | undefined>>;
  const texts = Object.entries(all).flatMap(([name, lines]) => (Array.isArray(lines) ? [[name, lines]] : []));
  const mails = texts.map(([name, lines]) => readWords(`${String(name)}.${language}`, (lines as string[]).join("\n")));
  const wrong = mails.filter((one) => typeof one === "string");
  if (wrong.length > 0) return wrong.join(" ");
  const { hello, orOpen, packages, morePackages } = all;
  const own = Object.entries({ hello, orOpen, packages, morePackages }).filter(([, said]) => said !== undefined);
  const phrases = overridden(englishPhrases, Object.fromEntries(own));
  return {
    forms: stringsIn(language, forms),
    pages: overridden(englishPages, pages),
    phrases,
    packageCount: packageCountIn(language, phrases.packages),
    /** The mails that the language has, by their names with the language: `inquiry-receipt.de`. */
    mails: new Map(mails.filter((one) => typeof one !== "string")) as MailWords,
    /** What the forms' script is given of it. */
    formWords: forms,
  };
}

/** `2 packages`, kept for each count (at most `packageIdsMax`): asking for a plural takes a quarter of a receipt's time. */
function packageCountIn(language: Language, packages: Readonly<Record<string, string>>): (count: number) => string {
  const plurals = new Intl.PluralRules(language);
  const worded = new Map<number, string>();
  const word = (count: number) => filled(packages[plurals.select(count)] ?? packages["other"] ?? "{count}", { count });
  return (count) => worded.getOrInsertComputed(count, word);
}

/** @throws Error for a file of ours with a mistake */
function builtIn(language: Language, content: unknown): [Language, LanguageWords] {
  const words = readLanguage(language, content);
  if (typeof words === "string") throw new Error(`The language ${language}: ${words}`);
  return [language, words];
}

export const builtInLanguages: Languages = new Map([
  ["en", { ...builtIn("en", {})[1], mails: englishMails }],
  builtIn("de", german),
]);

/** The words of mails in all languages. */
export const mailsOf = (languages: Languages): Map<string, Words> =>
  new Map([...languages.values()].flatMap(({ mails }) => [...mails]));

const fileName = /^([a-z]{2,3}(?:-[a-z0-9]{2,8})*)\.json$/i;

export const languages: SettingType<Languages> = folderOf((folder) =>
  readFolder(folder, [".json", "file like fr.json"], readFile),
);

function readFile(file: string, text: string): [Language, LanguageWords] | string {
  const language = fileName.exec(file)?.[1]?.toLowerCase();
  if (language === undefined) return `${file} is not named by a language, like fr.json or pt-br.json.`;
  if (builtInLanguages.has(language)) return `${file}: this language is built in.`;
  const content = jsonIn(text);
  if (content === undefined) return `${file} is not valid JSON.`;
  const words = readLanguage(language, content);
  return typeof words === "string" ? `${file}: ${words}` : [language, words];
}
