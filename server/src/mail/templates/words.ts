// Writes a mail to a person from its words, the built-in ones or the installation's own (config/mail-words.ts). Both parts are
// made from the one text.
import { html, type Fill } from "@submissions/shared/html";
import type { Language } from "@submissions/shared/language";
import type { Line, Paragraph, Words } from "../../config/mail-words.ts";
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
  type Look,
  type Written,
} from "./layout.ts";

/** What stands in the places; an empty text: nothing. Those named `…Url` are links of ours. */
type Places = Readonly<Record<string, string>>;

/** A paragraph that is a place and what it is called; NUL stands around the names of places. */
const labelled = /^([^\0]+):\s\0(\w+)\0$/;
const orOpen: Readonly<Record<Language, string>> = {
  en: "Or open this address:",
  de: "Oder öffnen Sie diese Adresse:",
};

/** Writes a mail. A line of which every place is empty is left out. */
export function writeWords({ subject, body, footer }: Words, language: Language, places: Places, look: Look): Written {
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
      signatureLines(look),
      small.length === 0 ? null : ["--", ...small.flat().map(plain)],
    ),
    html: layout({
      language,
      subject: heading,
      brand: masthead(look),
      heading,
      preheader: blocks[1] === undefined ? heading : blocks[1].map((line) => plain(line).trim()).join(" "),
      body: blocks.map((lines) => marked(lines)),
      signature: signatureMarkup(look),
      footer: inLines(small.map((lines) => marked(lines, true))),
    }).text,
  };
}
