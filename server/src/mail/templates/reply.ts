// A reply of an operator: what the operator wrote, and below it what the person had sent. No layout: it reads like a letter.
import { html } from "@submissions/shared/html";
import { looksLikeName } from "@submissions/shared/names";
import { letterOf, utcMinute } from "../../field-values.ts";
import type { StoredSubmission, WrittenReply } from "../../storage/records.ts";
import { inLines, type Written } from "./layout.ts";
import { template } from "./template.ts";

const letter = template<"language" | "text" | "quote">(
  (place) =>
    html`<!doctype html>
      <html lang="${place("language")}">
        <head>
          <meta charset="utf-8" />
        </head>
        <body style="font-family:sans-serif">
          <div dir="auto">${place("text")}</div>
          ${place("quote")}
        </body>
      </html>`,
);

const quote = template<"head" | "quoted">(
  (place) =>
    html`<p>${place("head")}</p>
      <blockquote dir="auto" style="margin:0;padding-left:12px;border-left:2px solid #9aa3ad;color:#4b5563">
        ${place("quoted")}
      </blockquote>`,
);

/** @param subject of the mail that it answers */
export function writeReply(
  submission: StoredSubmission,
  { text, quoted: isQuoted }: Pick<WrittenReply, "text" | "quoted">,
  subject: string,
): Written {
  const { name, receivedAt, reference, language } = submission;
  // Every mail program takes this line for ours.
  const head = `${looksLikeName(name) ? `${name}, ` : ""}${utcMinute(receivedAt)}, ${reference}:`;
  const quoted = isQuoted ? letterLines(submission) : [];
  const below = quoted.length === 0 ? [] : ["", head, ...quoted.map((line) => `> ${line}`.trimEnd())];
  return {
    subject: `Re: ${subject}`,
    text: [text, ...below, ""].join("\n"),
    html: letter({
      language,
      text: inLines(text.split("\n")),
      quote: quoted.length > 0 && quote({ head, quoted: inLines(quoted) }),
    }).text,
  };
}

/** Every line of the letter is quoted, also where a screen breaks it; nothing of what a form knew beside it. */
const letterLines = (submission: StoredSubmission): string[] => letterOf(submission)?.split(/[\n\u2028\u2029]/) ?? [];
