// A mail in words of the installation's own (config/mail-words.ts). Both parts are made from the one text.
import { html, type Fill, type Markup } from "@submissions/shared/html";
import type { Language } from "@submissions/shared/language";
import type { OwnWords } from "../../config/mail-words.ts";
import {
  layout,
  link,
  masthead,
  paragraph,
  signatureLines,
  signatureMarkup,
  textOf,
  type Look,
  type Written,
} from "./layout.ts";

/** What stands in the places; an empty text: nothing. Those named `…Url` are links of ours. */
type Places = Readonly<Record<string, string>>;

const place = /\{\{([^{}]*)\}\}/;

/** Writes a mail. A line of which every place is empty is left out. */
export function writeOwnWords(
  { subject, body, footer }: OwnWords,
  language: Language,
  places: Places,
  look: Look,
): Written {
  const plain = (text: string) =>
    text
      .split(place)
      .map((part, at) => (at % 2 === 0 ? part : places[part.trim()]!))
      .join("");
  const isLeftOut = (line: string) => {
    const named = line.split(place).filter((_, at) => at % 2 === 1);
    return named.length > 0 && named.every((name) => places[name.trim()] === "");
  };
  const blocks = (text: string) =>
    text
      .split(/\n\s*\n/)
      .map((block) => block.split("\n").filter((line) => !isLeftOut(line)))
      .filter((lines) => lines.length > 0 && lines.join("").trim() !== "");
  const text = blocks(body).map((lines) => lines.map(plain));
  const filled = plain(subject);
  return {
    subject: filled,
    text: textOf(...text, signatureLines(look), footer === "" ? null : ["--", ...blocks(footer).flat().map(plain)]),
    html: layout({
      language,
      subject: filled,
      brand: masthead(look),
      heading: filled,
      preheader: text[1]?.map((line) => line.trim()).join(" ") ?? filled,
      body: html`${blocks(body).map((lines) => paragraph(inLines(lines, places)))}`,
      signature: signatureMarkup(look),
      footer: inLines(blocks(footer).flat(), places),
    }).text,
  };
}

const inLines = (lines: readonly string[], places: Places): Markup[] =>
  lines.map(
    (line, at) =>
      html`${at > 0 && html`<br />`}${line.split(place).map((part, n) => (n % 2 === 0 ? part : filledIn(part.trim(), places)))}`,
  );

function filledIn(name: string, places: Places): Fill {
  const value = places[name]!;
  if (name.endsWith("Url")) return link(value, value);
  // A list has a line for each of its items.
  return value.split("\n").map((line, at) => html`${at > 0 && html`<br />`}${line}`);
}
