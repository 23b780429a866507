// What is shown of a mail that has neither plain text nor HTML: a text of another kind, or where its text is.
import { isUtf8 } from "node:buffer";

export interface Part {
  readonly filename: string | null;
  readonly mimeType: string;
  readonly content: Uint8Array;
}

const lengthMax = 400_000;

/** Text that programs send beside or in place of plain text. With a name it is a file. */
const isText = ({ filename, mimeType }: Part) =>
  filename === null && /^text\/(?:plain|enriched|richtext|markdown|x-markdown)$/.test(mimeType);

/** Outlook's own format, S/MIME that is encrypted or signed in one piece, PGP: nothing here reads what is in them. */
const holdsText = ({ mimeType }: Part) =>
  /^application\/(?:(?:vnd\.)?ms-tnef|(?:x-)?pkcs7-mime|pgp-encrypted)$/.test(mimeType);

/**
 * Undefined: it has files, and no text. `part`: the text is all of one of them.
 * @param charset of a text that is not UTF-8
 */
export function otherText(
  parts: readonly Part[],
  charset = "windows-1252",
): { readonly text: string; readonly part?: Part } | undefined {
  const part = parts.find(isText);
  if (part !== undefined) {
    const text = plainOf(part, charset);
    // What is in another charset, or longer, stays a file with all of its bytes.
    const isWhole = part.content.length <= lengthMax && isUtf8(part.content);
    return { text, ...(isWhole && { part }) };
  }
  const holder = parts.findIndex(holdsText);
  if (holder < 0) return undefined;
  // That of PGP is in the part behind it.
  const name = parts.slice(holder).find(({ filename }) => filename !== null)?.filename ?? "without a name";
  return { text: `(The text of this mail is in the file ${name}, which cannot be read here.)` };
}

function plainOf({ mimeType, content }: Part, charset: string): string {
  const bytes = content.subarray(0, lengthMax);
  // The last character may be cut.
  const utf8 = new TextDecoder().decode(bytes, { stream: true });
  const text = utf8.includes("\uFFFD") ? new TextDecoder(charset).decode(bytes) : utf8;
  if (!/enriched|richtext/.test(mimeType)) return text;
  // RFC 1896: `<<` is a `<`, one line break is a space, and of several the first does not count.
  return text
    .replace(/\r\n?/g, "\n")
    .replace(/<param>[^<]{0,1000}<\/param>/gi, "")
    .replace(/<<|<[^<>]{0,100}>/g, (tag) => (tag === "<<" ? "<" : ""))
    .replace(/\n(\n*)/g, (_break, more: string) => more || " ");
}
