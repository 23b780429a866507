// Judges whether a file is a PDF and its end is there. Looks at the first kilobyte and the last 64, not at what is between.
import type { StagedBytes } from "../staged-bytes.ts";

/** ISO 32000 lets readers look for the header in the first 1,024 bytes. */
const headerSearchBytes = 1_024;

/** How far before the last byte that is not padding the end marker may stand: mail gateways append to honest files. */
const endSearchBytes = 64 * 1024;

const signature = Buffer.from("%PDF-", "latin1");
const endMarkers = ["%%EOF", "startxref"];
const byteOrderMarks = ["\u{ef}\u{bb}\u{bf}", "\u{fe}\u{ff}", "\u{ff}\u{fe}"].map((mark) =>
  Buffer.from(mark, "latin1"),
);

/** White space as ISO 32000 counts it: NUL, tab, line feed, form feed, carriage return, space. */
const isWhiteSpace = (byte: number | undefined) =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09 || byte === 0x0c || byte === 0x00;

/** Whether a file beginning with `head` claims to be a PDF: `%PDF-` first, or after byte order marks and white space. */
export const isPdf = (head: Buffer): boolean => {
  const startsWith = (bytes: Buffer, start: number) => head.subarray(start, start + bytes.length).equals(bytes);
  const paddingAt = (start: number) =>
    isWhiteSpace(head[start]) ? 1 : (byteOrderMarks.find((mark) => startsWith(mark, start))?.length ?? 0);
  let start = 0;
  for (let more = paddingAt(0); more > 0 && start < headerSearchBytes; more = paddingAt(start)) start += more;
  // Anything else in front makes it another thing that holds a PDF: an archive, a script, an executable.
  return start < headerSearchBytes && startsWith(signature, start);
};

export const findPdfFault = async (bytes: StagedBytes): Promise<string | null> => {
  const end = await findContentEnd(bytes);
  const tail = await bytes.read(Math.max(0, end - endSearchBytes), Math.min(end, endSearchBytes));
  const ends = endMarkers.some((marker) => tail.includes(marker, 0, "latin1"));
  const head = await bytes.read(0, headerSearchBytes);
  return ends && !(/\/Linearized\s+[\d.]/.test(head.toString("latin1")) && isEndOfFirstPage(tail))
    ? null
    : "The PDF is incomplete or damaged: its end is missing.";
};

/** A linearised file has two end markers (ISO 32000-1 Annex F). The first refers to offset 0; if no other follows, it was cut. */
const isEndOfFirstPage = (tail: Buffer): boolean => {
  const last = tail.lastIndexOf("startxref");
  return last >= 0 && /^startxref\s*0*\s*(?:%|$)/.test(tail.toString("latin1", last, last + 32));
};

/** Where the padding begins that some writers fill the last block with. Reads backwards, each byte once at most. */
const findContentEnd = async (bytes: StagedBytes): Promise<number> => {
  let end = bytes.size;
  while (end > 0) {
    const start = Math.max(0, end - endSearchBytes);
    const block = await bytes.read(start, end - start);
    let last = block.length;
    while (last > 0 && isWhiteSpace(block[last - 1])) last -= 1;
    if (last > 0) return start + last;
    end = start;
  }
  return 0;
};
