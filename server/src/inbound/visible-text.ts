// The text of a mail as a person reads it.
import { firstCodePoints } from "@submissions/shared/text";
import { compile } from "html-to-text";
import { leanHtml } from "./lean-html.ts";

/** In code points. */
const textLengthMax = 100_000;
/** In code units: what is cleaned, and HTML without what draws nothing. */
const rawLengthMax = 4 * textLengthMax;
const htmlLengthMax = 1_000_000;
const cutNote = "\n(The rest of this mail is not kept: it is too long.)";

const oneBreak = { leadingLineBreaks: 1, trailingLineBreaks: 1 };

const textOfHtml = compile({
  wordwrap: false,
  // The whole document: a search for its body would go down to any depth.
  baseElements: { selectors: [] },
  selectors: [
    { selector: "img", format: "skip" },
    { selector: "a", options: { hideLinkHrefIfSameAsText: true, noAnchorUrl: true, linkBrackets: ["<", ">"] } },
    ...["h1", "h2", "h3", "h4", "h5", "h6"].map((selector) => ({ selector, options: { uppercase: false } })),
    { selector: "ul", options: { itemPrefix: "- " } },
    // Outlook's paragraphs are lines.
    { selector: "p.MsoNormal", format: "paragraph", options: oneBreak },
    { selector: "blockquote", options: oneBreak },
  ],
});

export type Written = { readonly text: string | undefined; readonly html: string | undefined; readonly flow: Flow };
/** How the lines of a text are folded (RFC 3676). */
export type Flow = "fixed" | "flowed" | "delsp";

export function visibleText({ text: plain = "", html, flow }: Written): { text: string; html: boolean } {
  const text = cleanText(flow === "fixed" ? plain : unfold(plain.slice(0, rawLengthMax), flow));
  if (text !== "" || html === undefined) return { text: bounded(text, plain.length > rawLengthMax), html: false };
  const lean = leanHtml(html, htmlLengthMax);
  const drawn = textOfHtml(lean.slice(0, htmlLengthMax));
  const isCut = lean.length > htmlLengthMax || drawn.length > rawLengthMax;
  return { text: bounded(cleanText(drawn), isCut), html: true };
}

const bounded = (text: string, isCut: boolean) =>
  !isCut && firstCodePoints(text, textLengthMax) === text
    ? text
    : `${firstCodePoints(text, textLengthMax - cutNote.length)}${cutNote}`;

const signature = "-- ";

/** Joins lines that end with a space to the next, unless that is quoted less or more deeply. */
function unfold(text: string, flow: Flow): string {
  const paragraphs: string[] = [];
  let isOpen = false;
  let depth = 0;
  for (const line of text.split(/\r?\n/)) {
    const marks = /^>*/.exec(line)?.[0] ?? "";
    const words = line.slice(marks.length).replace(/^ /, "");
    if (isOpen && marks.length === depth && words !== signature) paragraphs.push(`${paragraphs.pop() ?? ""}${words}`);
    else paragraphs.push(`${marks}${marks === "" ? "" : " "}${words}`);
    isOpen = /\S +$/.test(words) && words !== signature;
    if (isOpen && flow === "delsp") paragraphs.push((paragraphs.pop() ?? "").slice(0, -1));
    depth = marks.length;
  }
  return paragraphs.join("\n");
}

/** Line breaks as LF, and no character that draws nothing or that a database refuses. */
function cleanText(raw: string): string {
  const cleaned = raw
    .slice(0, rawLengthMax)
    .toWellFormed()
    .replace(/\r\n?|[\v\f\u0085\u2028\u2029]/g, "\n")
    .replace(/[\u0000-\u0008\u000E-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069\uFEFF]/g, "")
    .replace(/[\u00A0\u2007\u202F]/g, " ");
  const text = cleaned
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
  return text.replace(/\n{4,}/g, "\n\n\n").trim();
}

/** The same for one line. */
export const cleanOneLine = (raw: string, lengthMax: number): string =>
  firstCodePoints(
    cleanText(raw.slice(0, 4 * lengthMax))
      .replace(/\s+/g, " ")
      .trim(),
    lengthMax,
  );
