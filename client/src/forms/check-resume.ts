// Finds what is wrong with a resume before it is uploaded: size, first bytes, name. The service reads all of it, and has
// the last word.
import type { FormStrings } from "@submissions/shared/forms/form-strings";
import { filled } from "@submissions/shared/forms/issue-words";
import { bytesMax } from "@submissions/shared/limits";

/** What a file of each kind begins with. White space may stand before that of a PDF. */
const beginnings = [
  ["pdf", "%PDF-"],
  ["doc", "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"],
  ["docx", "PK\x03\x04"],
] as const;

/** Where a PDF may begin at the latest. */
const headBytes = 1_032;

/** What is wrong with a file, for the person who chose it; undefined when nothing is to be seen. */
export async function checkResume(file: File, strings: FormStrings): Promise<string | undefined> {
  if (file.size === 0) return strings.fileEmpty;
  if (file.size > bytesMax.resume) return filled(strings.fileTooLarge, { size: sizeIn(strings.lang, file.size) });
  const head = await headOf(file);
  if (head === null) return strings.fileUnreadable;
  const kind = beginnings.find(([, beginning]) => head.startsWith(beginning))?.[0];
  if (kind === undefined) return strings.fileKind;
  const extension = /\.(\S*\p{L}\S*)$/u.exec(file.name)?.[1]?.toLowerCase();
  if (extension === undefined || extension === kind) return undefined;
  return filled(strings.fileExtension, { extension, kind: kind.toUpperCase() });
}

async function headOf(file: File): Promise<string | null> {
  try {
    const bytes = new Uint8Array(await file.slice(0, headBytes).arrayBuffer());
    return String.fromCharCode(...bytes).replace(/^(?:\xEF\xBB\xBF|\xFE\xFF|\xFF\xFE)?[\0\t\n\f\r ]*(?=%PDF-)/, "");
  } catch {
    // NotReadableError, NotFoundError: it was moved, deleted or changed after it was chosen.
    return null;
  }
}

/** A size for people: "1.4 MB". Counted in 1,024s, as the limit is. */
export function sizeIn(language: string, bytes: number): string {
  const [unit, value] =
    bytes < 2 ** 20 ? (["kilobyte", bytes / 2 ** 10] as const) : (["megabyte", bytes / 2 ** 20] as const);
  // Rounded up: what is over the limit must not look as if it were not.
  const shown = Math.max(1, Math.ceil(value * 10) / 10);
  return shown.toLocaleString(language, { style: "unit", unit, maximumFractionDigits: 1 });
}
