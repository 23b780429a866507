// A reply of an operator: what the operator wrote, and below it what the person had sent. No layout: it reads like a letter.
import { html } from "@submissions/shared/html";
import { looksLikeName } from "@submissions/shared/names";
import type { PackageTitles } from "../../config/catalogue.ts";
import { namedFields, utcMinute, valueOf } from "../../field-values.ts";
import type { StoredSubmission } from "../../storage/records.ts";
import { inLines, type Written } from "./layout.ts";
import { template } from "./template.ts";

const letter = template<"language" | "text" | "head" | "quoted">(
  (place) =>
    html`<!doctype html>
      <html lang="${place("language")}">
        <head>
          <meta charset="utf-8" />
        </head>
        <body style="font-family:sans-serif">
          <div dir="auto">${place("text")}</div>
          <p>${place("head")}</p>
          <blockquote dir="auto" style="margin:0;padding-left:12px;border-left:2px solid #9aa3ad;color:#4b5563">
            ${place("quoted")}
          </blockquote>
        </body>
      </html>`,
);

/** @param subject of the mail that it answers */
export function writeReply(
  submission: StoredSubmission,
  text: string,
  subject: string,
  packageTitles: PackageTitles,
): Written {
  const { name, receivedAt, reference, language } = submission;
  // Every mail program takes this line for ours.
  const head = `${looksLikeName(name) ? `${name}, ` : ""}${utcMinute(receivedAt)}, ${reference}:`;
  const quoted = quotedLines(submission, packageTitles);
  return {
    subject: `Re: ${subject}`,
    text: [text, "", head, ...quoted.map((line) => `> ${line}`.trimEnd()), ""].join("\n"),
    html: letter({ language, text: inLines(text.split("\n")), head, quoted: inLines(quoted) }).text,
  };
}

function quotedLines(submission: StoredSubmission, packageTitles: PackageTitles): string[] {
  const { kind, more } = submission;
  const sent = namedFields[kind].flatMap((field) => {
    const value = valueOf(submission, field);
    if (value === null || field.storedAs === "name" || field.kind === "email") return [];
    const words = typeof value === "string" ? value : value.map((id) => packageTitles.get(id) ?? id).join(", ");
    // Every line of it is quoted, also where a screen breaks it.
    const lines = words.split(/[\n\u2028\u2029]/);
    const { label } = field.en;
    return field.kind === "paragraphs" ? [`${label}:`, ...lines] : [`${label}: ${lines.join(" ")}`];
  });
  const further = Object.entries(more ?? {}).flatMap(([name, text]) => `${name}: ${text}`.split(/[\n\u2028\u2029]/));
  return [...sent, ...further];
}
