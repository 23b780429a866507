// Words of the installation's own for mails to persons: a folder with a text file a mail and language.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { path, refuse, type Kind } from "./kinds.ts";

/** The mails that may have words of one's own, and what their files may name in double braces. */
const mailPlaceholders = {
  "inquiry-receipt": ["hello", "reference", "packages", "email", "brand"],
  "application-receipt": ["hello", "reference", "resume", "email", "brand"],
  "newsletter-welcome": ["hello", "confirmUrl", "unsubscribeUrl", "brand"],
} as const;

/** A file: its first line is the subject, and what follows a line `--` is the small print. */
export interface OwnWords {
  readonly subject: string;
  readonly body: string;
  readonly footer: string;
}

/** By the name of the file without its ending: `inquiry-receipt.de`. */
export type MailWords = ReadonlyMap<string, OwnWords>;

/** Ten printed pages. */
const wordsLengthMax = 40_000;

export const mailWords: Kind<MailWords> = path.transform((folder, context) => {
  try {
    const files = readdirSync(folder).filter((file) => file.endsWith(".txt"));
    const read = files.map((file) => {
      const name = file.slice(0, -".txt".length);
      return readWords(name, readFileSync(join(folder, file), "utf8").replace(/^\uFEFF/, ""));
    });
    const problems = read.filter((one) => typeof one === "string");
    if (problems.length > 0) return refuse(context, problems.join(" "));
    return new Map(read.filter((one) => typeof one !== "string"));
  } catch (error) {
    // A system error: absent, unreadable.
    const reason = (error as NodeJS.ErrnoException).code;
    if (reason === undefined) throw error;
    return refuse(context, `the folder cannot be read (${reason}).`);
  }
});

/** What a file holds, or what is wrong with it. */
function readWords(name: string, text: string): [string, OwnWords] | string {
  const [, kind = "", language = ""] = /^(.+)\.(en|de)$/.exec(name) ?? [];
  const known: readonly string[] | undefined = Object.hasOwn(mailPlaceholders, kind)
    ? mailPlaceholders[kind as keyof typeof mailPlaceholders]
    : undefined;
  if (known === undefined || language === "") {
    return `${name}.txt is no mail and language: ${Object.keys(mailPlaceholders).join(", ")}, each with .en.txt or .de.txt.`;
  }
  if (text.length > wordsLengthMax) return `${name}.txt is longer than ${wordsLengthMax} characters.`;
  const [, subject = "", rest = ""] = /^Subject: ([^\n]+)\n[^\S\n]*\n(.*)$/s.exec(text.replaceAll("\r\n", "\n")) ?? [];
  if (subject.trim() === "") {
    return `${name}.txt must begin with a line "Subject: …" and a blank line.`;
  }
  const named = Array.from(text.matchAll(/\{\{([^{}]*)\}\}/g), ([, one = ""]) => one.trim());
  const unknown = named.filter((one) => !known.includes(one));
  if (unknown.length > 0) {
    const list = unknown.map((one) => `{{${one}}}`).join(", ");
    return `${name}.txt names the unknown ${list}; it may name ${known.map((one) => `{{${one}}}`).join(", ")}.`;
  }
  // It may be several lines, and a header is one.
  if (/\{\{\s*packages\s*\}\}/.test(subject)) return `${name}.txt must not name {{packages}} in its subject.`;
  // Without these a subscription could be neither confirmed nor ended.
  const lacking = known.filter((one) => one.endsWith("Url") && !named.includes(one));
  if (lacking.length > 0) return `${name}.txt lacks ${lacking.map((one) => `{{${one}}}`).join(" and ")}.`;
  const [body = "", ...footer] = rest.split(/\n-- ?\n/);
  return [name, { subject: subject.trim(), body: body.trim(), footer: footer.join("\n").trim() }];
}
