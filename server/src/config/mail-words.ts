// The words of mails to persons, built-in or an installation's own: a folder with a text file a mail and language.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { fieldOfKind } from "@submissions/shared/field-table";
import { kindOf, submissionKinds, type SubmissionKind } from "@submissions/shared/kinds";
import { readAt, refuse, type SettingType } from "./setting-types.ts";

/** The mails, and what their files may name in double braces. `newsletter-active` is the welcome under single opt-in. */
const placesOf: ReadonlyMap<string, readonly string[]> = new Map([
  ...submissionKinds.map((kind) => [`${kind}-receipt`, receiptPlaces(kind)] as const),
  ["newsletter-welcome", ["hello", "confirmUrl", "unsubscribeUrl", "brand"]],
  ["newsletter-active", ["hello", "unsubscribeUrl", "brand"]],
]);

function receiptPlaces(kind: SubmissionKind): string[] {
  const { fields, file } = kindOf(kind);
  const packages = fieldOfKind(fields, "packages") === undefined ? [] : ["packages"];
  return ["hello", "reference", ...packages, ...(file === null ? [] : ["resume"]), "email", "brand"];
}

/** A line in pieces: texts, and between them the names of places. */
export type Line = readonly string[];
export type Paragraph = readonly Line[];

/** A file: its first line is the subject, and what follows a line `--` is the small print. */
export interface Words {
  readonly subject: Line;
  readonly body: readonly Paragraph[];
  readonly footer: readonly Paragraph[];
}

/** By the name of the file without its ending: `inquiry-receipt.de`. */
export type MailWords = ReadonlyMap<string, Words>;

/** Ten printed pages. */
const wordsLengthMax = 40_000;

/** What the files of a folder say, by name, or what is wrong with them. */
export function readFolder<T>(
  folder: string,
  [ending, wanted]: readonly [ending: string, wanted: string],
  read: (file: string, text: string) => [string, T] | string,
): Map<string, T> | string {
  const files = readdirSync(folder).filter((file) => file.endsWith(ending));
  if (files.length === 0) return `the folder has no ${wanted}.`;
  const all = files.map((file) => read(file, readFileSync(join(folder, file), "utf8").replace(/^\uFEFF/, "")));
  const problems = all.filter((one) => typeof one === "string");
  return problems.length > 0 ? problems.join(" ") : new Map(all.filter((one) => typeof one !== "string"));
}

/** A setting that names such a folder. */
export const folderOf = <T>(read: (folder: string) => ReadonlyMap<string, T> | string) =>
  readAt("folder", (folder, context) => {
    const content = read(folder);
    return typeof content === "string" ? refuse(context, content) : content;
  });

const readMails = (folder: string) =>
  readFolder(folder, [".txt", "text file"], (file, text) => readWords(file.slice(0, -".txt".length), text));

/** The English words, which every other language may lack. */
export const englishMails = readMails(fileURLToPath(new URL("../mail/words", import.meta.url))) as MailWords;

export const mailWords: SettingType<MailWords> = folderOf((folder) => {
  const own = readMails(folder);
  if (typeof own === "string") return own;
  const welcomes = [...own].filter(([name]) => name.startsWith("newsletter-welcome."));
  return new Map([...welcomes.map(([name, words]) => [name.replace("welcome", "active"), words] as const), ...own]);
});

/** @param name of the mail and its language: `inquiry-receipt.de` */
export function readWords(name: string, text: string): [string, Words] | string {
  const [, kind = "", language = ""] = /^(.+)\.([a-z]{2,3}(?:-[a-z0-9]+)*)$/.exec(name) ?? [];
  const known = placesOf.get(kind);
  if (known === undefined || language === "") {
    return `${name}.txt is no mail and language: ${[...placesOf.keys()].join(", ")}, each with its language, as .en.txt.`;
  }
  if (text.length > wordsLengthMax) return `${name}.txt is longer than ${wordsLengthMax} characters.`;
  if (text.includes("\uFFFD")) return `${name}.txt is not in UTF-8.`;
  const [, subject = "", rest = ""] = /^Subject: ([^\n]+)\n[^\S\n]*\n(.*)$/s.exec(text.replaceAll("\r\n", "\n")) ?? [];
  if (subject.trim() === "") return `${name}.txt must begin with a line "Subject: …" and a blank line.`;
  const pieces = lineOf(text);
  const [half] = /\{+ *\w+( *\}+)?|\w+ *\}+/.exec(pieces.filter((_, at) => at % 2 === 0).join("\n")) ?? [];
  if (half !== undefined) return `${name}.txt has ${half} in it: write {{…}}, with two braces on each side.`;
  const named = [...new Set(pieces.filter((_, at) => at % 2 === 1))];
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
  return [name, { subject: lineOf(subject.trim()), body: paragraphsOf(body), footer: paragraphsOf(footer.join("\n")) }];
}

function paragraphsOf(text: string): Paragraph[] {
  const blocks = text.split(/\n\s*\n/).map((block) => block.trim());
  return blocks.filter((block) => block !== "").map((block) => block.split("\n").map(lineOf));
}

function lineOf(text: string): Line {
  return text.split(/\{\{([^{}]*)\}\}/).map((piece, at) => (at % 2 === 0 ? piece : piece.trim()));
}
