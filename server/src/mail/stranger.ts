// How words of a stranger stand in a mail. Which may stand there at all: `shared/src/names.ts`.
import { looksLikeName } from "@submissions/shared/names";

/** `Hello Ann Buyer,` or `Hello,`. */
export const greeting = (name: string, hello = "Hello"): string =>
  looksLikeName(name) ? `${hello} ${name},` : `${hello},`;

const subjectCodePointsMax = 80;

/** A text fit for a subject: one short line, nothing invisible, nothing that a mail program would decode (RFC 2047). */
export function forSubject(text: string): string {
  const line = text
    // Joiners stand inside words of Persian and of Indic scripts, and in emoji.
    .replace(/[[\p{C}\p{Z}]--[\u200C\u200D]]+/gv, " ")
    .replaceAll("=?", "= ?")
    .trim();
  const signs = Array.from(line);
  return signs.length <= subjectCodePointsMax ? line : `${signs.slice(0, subjectCodePointsMax - 1).join("")}…`;
}
