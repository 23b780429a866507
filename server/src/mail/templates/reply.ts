// A reply of an operator in the frame of the receipts, above what the person had sent. The text part has no frame.
import { html } from "@submissions/shared/html";
import { looksLikeName } from "@submissions/shared/names";
import { letterOf, utcMinute } from "../../field-values.ts";
import type { StoredSubmission, WrittenReply } from "../../storage/records.ts";
import {
  inLines,
  layout,
  type MailSettings,
  masthead,
  paragraph,
  sideOf,
  signatureMarkup,
  type Written,
} from "./layout.ts";
import { template } from "./template.ts";

const quote = template<"head" | "quoted" | "side">(
  (place) =>
    html`<p dir="auto" class="soft" style="margin:24px 0 8px;color:#4b5563">${place("head")}</p>
      <blockquote
        dir="auto"
        class="soft rule"
        style="margin:0;padding-${place("side")}:12px;border-${place("side")}:2px solid #9aa3ad;color:#4b5563;text-align:start"
      >
        ${place("quoted")}
      </blockquote>`,
);

/** Of the beginning, which lists of mails show behind the subject. */
const preheaderLength = 140;

/** @param answered the subject of the mail that it answers */
export function writeReply(
  submission: StoredSubmission,
  { text, quoted: isQuoted }: Pick<WrittenReply, "text" | "quoted">,
  answered: string,
  settings: MailSettings,
): Written {
  const { name, receivedAt, reference, language } = submission;
  // Every mail program takes this line for ours.
  const head = `${looksLikeName(name) ? `${name}, ` : ""}${utcMinute(receivedAt)}, ${reference}:`;
  // Every line of the letter is quoted, also where a screen breaks it; nothing of what a form knew beside it.
  const quoted = (isQuoted ? letterOf(submission) : null)?.split(/[\n\u2028\u2029]/) ?? [];
  const below = quoted.length === 0 ? [] : ["", head, ...quoted.map((line) => `> ${line}`.trimEnd())];
  const subject = `Re: ${answered}`;
  const paragraphs = text.split(/\n{2,}/).map((lines) => paragraph(inLines(lines.split("\n"))));
  return {
    subject,
    text: [text, ...below, ""].join("\n"),
    html: layout({
      language,
      subject,
      preheader: text.slice(0, preheaderLength).replaceAll(/\s+/g, " ").toWellFormed(),
      brand: masthead(settings),
      heading: null,
      body: [
        html`<div dir="auto" style="text-align:start">${paragraphs}</div>`,
        signatureMarkup(settings),
        quoted.length > 0 && quote({ head, quoted: inLines(quoted), side: sideOf(language) }),
      ],
      signature: null,
      footer: reference,
    }).text,
  };
}
