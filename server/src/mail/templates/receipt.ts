// Mails to persons, from words with places. A receipt goes to an address that is not proven: `stranger.ts`.
import { html, Markup, type Fill } from "@submissions/shared/html";
import type { Language } from "@submissions/shared/language";
import type { PackageTitles } from "../../config/catalogue.ts";
import type { Line, Paragraph } from "../../config/mail-words.ts";
import { counted, kindAndSize, packageIdsOf } from "../../field-values.ts";
import type { StoredSubmission, SubmissionKind } from "../../storage/records.ts";
import { greeting } from "../stranger.ts";
import {
  button,
  inLines,
  layout,
  link,
  masthead,
  paragraph,
  referencePanel,
  signatureLines,
  signatureMarkup,
  textOf,
  type MailSettings,
  type Written,
} from "./layout.ts";
import { placeOf, template, textTemplate } from "./template.ts";

const hello: Readonly<Record<Language, string>> = { en: "Hello", de: "Guten Tag" };
const orOpen: Readonly<Record<Language, string>> = {
  en: "Or open this address:",
  de: "Oder öffnen Sie diese Adresse:",
};

/** What stands in the places; an empty text: nothing. Those named `…Url` are links of ours. */
type Places = Readonly<Record<string, string>>;

/** Writes the receipts of a kind. */
export function receiptOf(kind: SubmissionKind, settings: MailSettings) {
  const compiled = (known: Places) => inEachLanguage(`${kind}-receipt`, known, settings);
  const [withResume, withoutResume] = [compiled({}), compiled({ resume: "" })];
  const writerOf = (submission: StoredSubmission) =>
    (submission.resume === null ? withoutResume : withResume)[submission.language];
  const placesOf = (submission: StoredSubmission) => receiptPlaces(submission, settings.packageTitles);
  return {
    subject: (submission: StoredSubmission): string => writerOf(submission).subject(placesOf(submission)),
    write: (submission: StoredSubmission): Written => writerOf(submission).write(placesOf(submission)),
  };
}

function receiptPlaces(submission: StoredSubmission, packageTitles: PackageTitles): Places {
  const { name, language, reference, email, resume } = submission;
  return {
    hello: greeting(name, hello[language]),
    reference,
    email,
    packages: packagesIn(submission, packageTitles),
    // Kind and size are what we read off the bytes. The name of the file is a stranger's text.
    resume: resume === null ? "" : kindAndSize(resume, language),
  };
}

/** An identifier is a stranger's text: packages without a title are counted. */
function packagesIn(submission: StoredSubmission, packageTitles: PackageTitles): string {
  const { language } = submission;
  const ids = packageIdsOf(submission);
  if (ids.length === 0) return "";
  const titles = ids.flatMap((id) => packageTitles.get(id) ?? []);
  const untitled = ids.length - titles.length;
  if (titles.length === 0) return packageCount(untitled, language);
  const more = language === "de" ? `und ${untitled} weitere` : `and ${untitled} more`;
  return [...titles, ...(untitled === 0 ? [] : [more])].map((item) => `  - ${item}`).join("\n");
}

export function packageCount(count: number, language: Language = "en"): string {
  return language === "de" ? counted(count, "Paket", "Pakete") : counted(count, "package");
}

/** Writes welcome mails. Without an address to confirm at, the subscriber is active already. */
export function welcomeOf(settings: MailSettings) {
  const toConfirm = inEachLanguage("newsletter-welcome", {}, settings);
  const active = inEachLanguage("newsletter-active", { confirmUrl: "" }, settings);
  return (language: Language, confirmUrl: string | null, unsubscribeUrl: string): Written => {
    const places = { hello: `${hello[language]},`, unsubscribeUrl };
    if (confirmUrl === null) return active[language].write(places);
    return toConfirm[language].write({ ...places, confirmUrl });
  };
}

const inEachLanguage = (mail: string, known: Places, settings: MailSettings) => ({
  en: compile(mail, "en", known, settings),
  de: compile(mail, "de", known, settings),
});

/** A paragraph that is a place and what it is called; NUL stands around the names of places. */
const labelled = /^([^\0]+):\s\0(\w+)\0$/;

// Compiles the words of a mail. `known` holds what is in a place of every such mail. A line of which every place is empty is
// left out.
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
  const filled = (name: string): Fill => {
    const value = fixed[name] ?? new Markup(placeOf(name));
    if (name.endsWith("Url")) return link(value, value);
    // A name may be in a script that runs the other way.
    return name === "hello" ? html`<bdi>${value}</bdi>` : value;
  };
  const marked = (lines: Paragraph, isSmall = false): Fill => {
    const [, label = "", name = ""] = labelled.exec(lines.map((line) => line.join("\0")).join("\n")) ?? [];
    const value = fixed[name] ?? new Markup(placeOf(name));
    if (name.endsWith("Url") && isSmall) return link(value, label);
    if (name === "confirmUrl") return button({ url: value, words: label, or: orOpen[language] });
    if (name === "reference") return referencePanel({ label, reference: value });
    const content = inLines(lines.map((line) => line.map((piece, at) => (at % 2 === 0 ? piece : filled(piece)))));
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
