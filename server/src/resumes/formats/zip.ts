// Reads a ZIP file through our bounds, and finds what readers of ZIP files could disagree on: where its directory is, and
// whether entries say of themselves what the directory says of them.
import { promisify } from "node:util";
import { crc32, inflateRaw } from "node:zlib";
import { fromRandomAccessReaderPromise, RandomAccessReader, type Entry, type ZipFile } from "yauzl";
import type { StagedBytes } from "../staged-bytes.ts";

const signature = Buffer.from("PK\u0003\u0004", "latin1");

/** Long documents full of pictures have some hundreds of parts. */
export const entriesMax = 1_000;

/** What is read of the end record and of the directory. Entries have some 150 bytes each; comments of 64 KiB cost time. */
const listingBytesMax = 640 * 1024;

/** How entries are packed. */
export const [stored, deflated] = [0, 8];

const inflate = promisify(inflateRaw);

export const isZip = (head: Buffer): boolean => head.subarray(0, signature.length).equals(signature);

/** Whether a ZIP file lists such a name. Not where it lists too many, or contradicts itself, or is none. */
export async function zipHolds(bytes: StagedBytes, isSuch: (name: string) => boolean): Promise<boolean> {
  try {
    const zip = await openZip(bytes);
    if (zip.entryCount <= entriesMax)
      for await (const { fileName } of zip.eachEntry()) if (isSuch(fileName)) return true;
  } catch (error) {
    if (bytes.ioError !== null || !isContradiction(error)) throw error;
  }
  return false;
}

export const openZip = async (bytes: StagedBytes) =>
  fromRandomAccessReaderPromise(new ZipBytes(bytes), await findEnd(bytes), { autoClose: false });

/** The last record of a ZIP file, without a comment. */
const endRecordBytes = 22;
const endSignature = Buffer.from("PK\u0005\u0006", "latin1");

/** The ZIP64 end record and its locator, which stand in front of the last record. */
const zip64EndBytes = 56 + 20;
const locatorSignature = Buffer.from("PK\u0006\u0007", "latin1");

/** What an entry's own header has before its name. */
const localHeaderBytes = 30;

/** What may follow an entry's data: its lengths and checksum, where they were not known before. */
const descriptorBytesMax = 24;

/** Some programs write a line end behind every file. */
const lineEndsMax = 8;

/** Where the ZIP file ends. Line ends behind a last record without a comment do not belong to it. */
const findEnd = async (bytes: StagedBytes): Promise<number> => {
  const length = endRecordBytes + lineEndsMax;
  const tail = await bytes.read(Math.max(0, bytes.size - length), length);
  let end = tail.length;
  while (end > 0 && (tail[end - 1] === 0x0a || tail[end - 1] === 0x0d)) end -= 1;
  const record = tail.subarray(Math.max(0, end - endRecordBytes), end);
  return record.length === endRecordBytes && record.indexOf(endSignature) === 0 && record.readUInt16LE(20) === 0
    ? bytes.size - tail.length + end
    : bytes.size;
};

/** yauzl throws bare errors, zlib errors with a code of its own; anything else is a mistake of ours. */
export const isContradiction = (error: unknown): boolean =>
  error instanceof Error &&
  (error.constructor === Error || ("code" in error && /^(Z_|ERR_BUFFER_TOO_LARGE)/.test(String(error.code))));

// Whether the last record follows the directory at once and says truly where it is, how long, and of how many entries. Some
// readers go to the place, others count the length back from the end or list what is there.
export const agreesWithEnd = async (bytes: StagedBytes, zip: ZipFile, start: number): Promise<boolean> => {
  const end = Number(zip.readEntryCursor);
  const recordStart = (await findEnd(bytes)) - zip.comment.length - endRecordBytes;
  const record = await bytes.read(recordStart, endRecordBytes);
  const truth = [zip.entryCount, zip.entryCount, end - start, start];
  const said = [record.readUInt16LE(8), record.readUInt16LE(10), record.readUInt32LE(12), record.readUInt32LE(16)];
  if (recordStart === end) return said.join() === truth.join();
  if (recordStart - end !== zip64EndBytes) return false;
  const zip64 = await bytes.read(end, zip64EndBytes);
  const saidThere = [24, 32, 40, 48, 64].map((at) => zip64.readBigUInt64LE(at));
  return (
    zip64.indexOf(locatorSignature) === 56 &&
    saidThere.join() === [...truth, end].join() &&
    said.every((number, at) => number === truth[at] || number === (at < 2 ? 0xffff : 0xffffffff))
  );
};

// Whether the entries say of themselves what the directory says of them, and the directory leaves none out. Some readers
// believe the one, some the other.
export const agreesWithEntries = async (bytes: StagedBytes, entries: readonly Entry[]): Promise<boolean> => {
  let end = 0;
  for (const entry of entries.toSorted((a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader)) {
    const { fileNameRaw: name, relativeOffsetOfLocalHeader: start } = entry;
    if (start < end || (await hidesEntry(bytes, end, start))) return false;
    const header = await bytes.read(start, localHeaderBytes + name.length);
    if (!header.subarray(0, signature.length).equals(signature) || header.length < localHeaderBytes) return false;
    const isEncrypted = (header.readUInt16LE(6) & 1) === 1;
    if (isEncrypted || header.readUInt16LE(8) !== entry.compressionMethod) return false;
    // By a flag they stand behind the data, and ZIP64 has the lengths elsewhere.
    const sums = [14, 18, 22].map((at) => header.readUInt32LE(at));
    const known = [entry.crc32, entry.compressedSize, entry.uncompressedSize];
    const isKnown = (header.readUInt16LE(6) & 8) === 0;
    if (isKnown && sums.some((sum, at) => sum !== known[at] && sum !== 0xffffffff)) return false;
    if (header.readUInt16LE(26) !== name.length || !header.subarray(localHeaderBytes).equals(name)) return false;
    end = start + localHeaderBytes + name.length + header.readUInt16LE(28) + entry.compressedSize;
  }
  return end <= bytes.size && !(await hidesEntry(bytes, end, bytes.size));
};

/** Whether an entry begins where the data of the one before it ends. */
const hidesEntry = async (bytes: StagedBytes, end: number, next: number): Promise<boolean> => {
  const between = await bytes.read(end, Math.min(next - end, descriptorBytesMax + signature.length));
  return between.includes(signature);
};

/** What an entry holds; null when that is larger than `bytesMax`, or not what the directory says. */
export const readEntry = async (bytes: StagedBytes, zip: ZipFile, entry: Entry, bytesMax: number) => {
  if (Math.max(entry.uncompressedSize, entry.compressedSize) > bytesMax) return null;
  const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true });
  const packed = await bytes.read(fileDataStart, entry.compressedSize);
  const whole = entry.compressionMethod === stored ? packed : await inflate(packed, { maxOutputLength: bytesMax });
  return whole.length === entry.uncompressedSize && crc32(whole) === entry.crc32 ? whole : null;
};

/** Lets yauzl read through our bounds: its own reader throws out of a callback at an offset that is no safe integer. */
class ZipBytes extends RandomAccessReader {
  readonly #bytes: StagedBytes;
  #bytesLeft = listingBytesMax;

  constructor(bytes: StagedBytes) {
    super();
    this.#bytes = bytes;
  }

  override read(
    target: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null, bytesRead?: number) => void,
  ): void {
    this.#bytesLeft -= length;
    if (this.#bytesLeft < 0) return callback(new Error("the directory is too large"));
    this.#bytes
      .read(position, length)
      .then((found) => callback(null, found.copy(target, offset)))
      // Also what the callback itself throws: yauzl then ends the listing instead of the process.
      .catch(callback);
  }
}
