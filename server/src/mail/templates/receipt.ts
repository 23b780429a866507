// Mails to persons, from words with places. A receipt goes to an address that is not proven: `stranger.ts`.
import { html, type Fill } from "@submissions/shared/html";
import type { Language } from "@submissions/shared/language";
import type { PackageTitles } from "../../config/catalogue.ts";
import type { Line, Paragraph } from "../../config/mail-words.ts";
import { counted, kindAndSize } from "../../field-values.ts";
import type { StoredInquiry, StoredSubmission } from "../../storage/records.ts";
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

const hello: Readonly<Record<Language, string>> = { en: "Hello", de: "Guten Tag" };

export function writeReceipt(submission: StoredSubmission, settings: MailSettings): Written {
  const { kind, name, language, reference, email } = submission;
  const places = { hello: greeting(name, hello[language]), reference, email, brand: settings.brand };
  const own =
    submission.kind === "inquiry"
      ? { packages: packagesOf(submission, settings.packageTitles) }
      : // Kind and size are what we read off the bytes. The name of the file is a stranger's text.
        { resume: submission.resume === null ? "" : kindAndSize(submission.resume, language) };
  return write(`${kind}-receipt`, language, { ...places, ...own }, settings);
}

/** An identifier is a stranger's text: packages without a title are counted. */
function packagesOf({ language, selectedPackageIds: ids }: StoredInquiry, packageTitles: PackageTitles): string {
  const titles = ids.flatMap((id) => packageTitles.get(id) ?? []);
  const untitled = ids.length - titles.length;
  if (titles.length === 0) return packageCount(untitled, language);
  const more = language === "de" ? `und ${untitled} weitere` : `and ${untitled} more`;
  return [...titles, ...(untitled === 0 ? [] : [more])].map((item) => `  - ${item}`).join("\n");
}

export function packageCount(count: number, language: Language = "en"): string {
  return language === "de" ? counted(count, "Paket", "Pakete") : counted(count, "package");
}

/** @param urls of the pages behind its links; without one to confirm, the subscriber is active already */
export function writeWelcome(
  language: Language,
  urls: { readonly confirmUrl: string | null; readonly unsubscribeUrl: string },
  settings: MailSettings,
): Written {
  const { confirmUrl, unsubscribeUrl } = urls;
  const places = { hello: `${hello[language]},`, confirmUrl: confirmUrl ?? "", unsubscribeUrl, brand: settings.brand };
  return write(confirmUrl === null ? "newsletter-active" : "newsletter-welcome", language, places, settings);
}

/** What stands in the places; an empty text: nothing. Those named `…Url` are links of ours. */
type Places = Readonly<Record<string, string>>;

/** A paragraph that is a place and what it is called; NUL stands around the names of places. */
const labelled = /^([^\0]+):\s\0(\w+)\0$/;
const orOpen: Readonly<Record<Language, string>> = {
  en: "Or open this address:",
  de: "Oder öffnen Sie diese Adresse:",
};

/** Writes a mail. A line of which every place is empty is left out. */
function write(kind: string, language: Language, places: Places, settings: MailSettings): Written {
  const { subject, body, footer } = settings.words.get(`${kind}.${language}`)!;
  const plain = (line: Line) => line.map((piece, at) => (at % 2 === 0 ? piece : places[piece])).join("");
  const isShown = (line: Line) => line.length === 1 || line.some((piece, at) => at % 2 === 1 && places[piece] !== "");
  const shown = (paragraphs: readonly Paragraph[]) =>
    paragraphs.map((lines) => lines.filter(isShown)).filter((lines) => lines.length > 0);
  const filled = (name: string): Fill => {
    const value = places[name]!;
    if (name.endsWith("Url")) return link(value, value);
    // A name may be in a script that runs the other way. A list has a line for each of its items.
    return name === "hello" ? html`<bdi>${value}</bdi>` : inLines(value.split("\n"));
  };
  const marked = (lines: Paragraph, isSmall = false): Fill => {
    const [, label = "", name = ""] = labelled.exec(lines.map((line) => line.join("\0")).join("\n")) ?? [];
    const value = places[name] ?? "";
    if (name.endsWith("Url") && isSmall) return link(value, label);
    if (name === "confirmUrl") return button({ url: value, words: label, or: orOpen[language] });
    if (name === "reference") return referencePanel({ label, reference: value });
    const content = inLines(lines.map((line) => line.map((piece, at) => (at % 2 === 0 ? piece : filled(piece)))));
    return isSmall ? content : paragraph(content);
  };
  const [blocks, small] = [shown(body), shown(footer)];
  const heading = plain(subject);
  return {
    subject: heading,
    text: textOf(
      ...blocks.map((lines) => lines.map(plain)),
      signatureLines(settings),
      small.length === 0 ? null : ["--", ...small.flat().map(plain)],
    ),
    html: layout({
      language,
      subject: heading,
      brand: masthead(settings),
      heading,
      preheader: blocks[1] === undefined ? heading : blocks[1].map((line) => plain(line).trim()).join(" "),
      body: blocks.map((lines) => marked(lines)),
      signature: signatureMarkup(settings),
      footer: inLines(small.map((lines) => marked(lines, true))),
    }).text,
  };
}
