// Mails to persons, from words with places. A receipt goes to an address that is not proven: `stranger.ts`.
import { filled } from "@submissions/shared/forms/issue-words";
import { html, Markup, type Fill } from "@submissions/shared/html";
import type { Language } from "@submissions/shared/language";
import type { PackageTitles } from "../../config/catalogue.ts";
import type { LanguageWords } from "../../config/languages.ts";
import type { Line, Paragraph } from "../../config/mail-words.ts";
import { kindAndSize, packageIdsOf } from "../../field-values.ts";
import type { StoredSubmission, SubmissionKind } from "../../storage/records.ts";
import { greeting } from "../stranger.ts";
import { button, inLines, layout, link, masthead, paragraph, referencePanel } from "./layout.ts";
import { type MailSettings, signatureLines, signatureMarkup, textOf, type Written } from "./layout.ts";
import { placeOf, template, textTemplate } from "./template.ts";

/** What stands in the places; an empty text: nothing. Those named `…Url` are links of ours. */
type Places = Readonly<Record<string, string>>;

export function receiptOf(kind: SubmissionKind, settings: MailSettings) {
  const compiled = (known: Places) => inEachLanguage(`${kind}-receipt`, known, settings);
  const [withResume, withoutResume] = [compiled({}), compiled({ resume: "" })];
  const writerOf = (submission: StoredSubmission) =>
    inLanguage(submission.resume === null ? withoutResume : withResume, submission.language);
  const placesOf = (submission: StoredSubmission) => receiptPlaces(submission, settings);
  return {
    subject: (submission: StoredSubmission): string => writerOf(submission).subject(placesOf(submission)),
    write: (submission: StoredSubmission): Written => writerOf(submission).write(placesOf(submission)),
  };
}

function receiptPlaces(submission: StoredSubmission, { languages, packageTitles }: MailSettings): Places {
  const { name, language, reference, email, resume } = submission;
  const words = inLanguage(languages, language);
  return {
    hello: greeting(name, words.phrases.hello),
    reference,
    email,
    packages: packagesIn(submission, packageTitles, words),
    // Kind and size are what we read off the bytes. The name of the file is a stranger's text.
    resume: resume === null ? "" : kindAndSize(resume, language),
  };
}

/** An identifier is a stranger's text: packages without a title are counted. */
function packagesIn(submission: StoredSubmission, packageTitles: PackageTitles, words: LanguageWords): string {
  const ids = packageIdsOf(submission);
  if (ids.length === 0) return "";
  const titles = ids.flatMap((id) => packageTitles.get(id) ?? []);
  const untitled = ids.length - titles.length;
  if (titles.length === 0) return words.packageCount(untitled);
  const more = filled(words.phrases.morePackages, { count: untitled });
  return [...titles, ...(untitled === 0 ? [] : [more])].map((item) => `  - ${item}`).join("\n");
}

/** Writes welcome mails. Without an address to confirm at, the subscriber is active already. */
export function welcomeOf(settings: MailSettings) {
  const toConfirm = inEachLanguage("newsletter-welcome", {}, settings);
  const active = inEachLanguage("newsletter-active", { confirmUrl: "" }, settings);
  return (language: Language, confirmUrl: string | null, unsubscribeUrl: string): Written => {
    const places = { hello: `${inLanguage(settings.languages, language).phrases.hello},`, unsubscribeUrl };
    if (confirmUrl === null) return inLanguage(active, language).write(places);
    return inLanguage(toConfirm, language).write({ ...places, confirmUrl });
  };
}

/** A mail for the people of each language: in English where it has no words. */
function inEachLanguage(mail: string, known: Places, settings: MailSettings) {
  const spoken = [...settings.languages.keys()].map((language) => {
    const has = settings.words.has(`${mail}.${language}`);
    return [language, compile(mail, has ? language : "en", known, settings)] as const;
  });
  return new Map(spoken);
}

/** What a language has, or else English: a language that is stored may be there no more. */
const inLanguage = <Value>(values: ReadonlyMap<Language, Value>, language: Language): Value =>
  values.get(language) ?? values.get("en")!;

/** A paragraph that is a place and what it is called; NUL stands around the names of places. */
const labelled = /^([^\0]+):\s\0(\w+)\0$/;

// `known` is the same in every such mail. A line of which every place is empty is left out.
function compile(mail: string, language: Language, known: Places, settings: MailSettings) {
  const words = settings.words.get(`${mail}.${language}`);
  if (words === undefined) throw new Error(`There are no words for ${mail}.${language}.`);
  const fixed: Readonly<Record<string, string | undefined>> = { brand: settings.brand, ...known };
  const isShown = (line: Line) => line.length === 1 || line.some((piece, at) => at % 2 === 1 && fixed[piece] !== "");
  const shown = (paragraphs: readonly Paragraph[]) =>
    paragraphs.map((lines) => lines.filter(isShown)).filter((lines) => lines.length > 0);
  const [blocks, small] = [shown(words.body), shown(words.footer)];
  const plain = (line: Line) =>
    line.map((piece, at) => (at % 2 === 0 ? piece : (fixed[piece] ?? placeOf(piece)))).join("");
  const placed = (name: string): Fill => {
    const value = fixed[name] ?? new Markup(placeOf(name));
    if (name.endsWith("Url")) return link(value, value);
    // A name may be in a script that runs the other way.
    return name === "hello" ? html`<bdi>${value}</bdi>` : value;
  };
  const marked = (lines: Paragraph, isSmall = false): Fill => {
    const [, label = "", name = ""] = labelled.exec(lines.map((line) => line.join("\0")).join("\n")) ?? [];
    const value = fixed[name] ?? new Markup(placeOf(name));
    if (name.endsWith("Url") && isSmall) return link(value, label);
    if (name === "confirmUrl")
      return button({ url: value, words: label, or: inLanguage(settings.languages, language).phrases.orOpen });
    if (name === "reference") return referencePanel({ label, reference: value });
    const content = inLines(lines.map((line) => line.map((piece, at) => (at % 2 === 0 ? piece : placed(piece)))));
    return isSmall ? content : paragraph(content);
  };
  const subject = textTemplate(plain(words.subject));
  const preheader = blocks[1]?.map((line) => textTemplate(plain(line)));
  const text = textTemplate(
    textOf(
      ...blocks.map((lines) => lines.map(plain)),
      signatureLines(settings),
      small.length === 0 ? null : ["--", ...small.flat().map(plain)],
    ),
  );
  const page = template<string>((place) =>
    layout({
      language,
      subject: place("subject"),
      brand: masthead(settings),
      heading: place("subject"),
      preheader: place("preheader"),
      body: blocks.map((lines) => marked(lines)),
      signature: signatureMarkup(settings),
      footer: inLines(small.map((lines) => marked(lines, true))),
    }),
  );
  return {
    subject,
    write(places: Places): Written {
      const heading = subject(places);
      const fills: Record<string, Fill> = { ...places, subject: heading };
      fills.preheader = preheader?.map((line) => line(places).trim()).join(" ") ?? heading;
      // A list has a line for each of its items.
      if (places.packages) fills.packages = inLines(places.packages.split("\n"));
      return { subject: heading, text: text(places), html: page(fills).text };
    },
  };
}
