// Judges whether a ZIP file is a Word document without macros. Reads the central directory and inflates `[Content_Types].xml`
// and the relationships of parts. Names of entries are compared and never used as paths.
import { promisify } from "node:util";
import { crc32, inflateRaw } from "node:zlib";
import {
  fromRandomAccessReaderPromise,
  getFileNameLowLevel,
  RandomAccessReader,
  type Entry,
  type ZipFile,
} from "yauzl";
import { parseContentTypes, readTags } from "./content-types.ts";
import { encrypted, macros } from "./doc.ts";
import type { StagedBytes } from "../staged-bytes.ts";

const signature = Buffer.from("PK\u0003\u0004", "latin1");

/** Long documents full of pictures have some hundreds of parts. */
const entriesMax = 1_000;

/** What all entries together say they inflate to. No bound on the ratio: honest documents of 60 KB inflate seventyfold. */
const inflatedBytesMax = 100_000_000;

/** What is read of the end record and of the directory. Entries have some 150 bytes each; comments of 64 KiB cost time. */
const listingBytesMax = 640 * 1024;

/** `[Content_Types].xml` has some 150 bytes for each part. */
const contentTypesBytesMax = 256 * 1024;

const contentTypesPart = "/[content_types].xml";

const appleDouble = Buffer.from([0, 5, 0x16, 7]);

/** Of all parts together. A link takes some 200 bytes. */
const relationshipsBytesMax = 1024 * 1024;

/** Transitional and strict documents share it. */
const wordDocument = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml";
const macroProject = "application/vnd.ms-office.vbaproject";

const [stored, deflated] = [0, 8];

const damaged = "The DOCX file is incomplete or damaged.";
const notWord = "Only PDF, DOC or DOCX files are accepted; this is a file of another kind.";
const tooLarge = "The DOCX file is too large once unpacked.";
const template = "Word templates are not accepted. Please save the document as DOCX or PDF.";

const inflate = promisify(inflateRaw);

/** The entries by the names of their parts, in lower case. */
type Parts = ReadonlyMap<string, Entry>;

export const isZip = (head: Buffer): boolean => head.subarray(0, signature.length).equals(signature);

export const findDocxFault = async (bytes: StagedBytes): Promise<string | null> => {
  try {
    const zip = await openZip(bytes);
    if (zip.entryCount > entriesMax) return tooLarge;
    return await findPackageFault(bytes, zip);
  } catch (error) {
    // A disk that fails is our fault and not the sender's; everything else here is a ZIP that contradicts itself.
    if (bytes.ioError === null && isContradiction(error)) return damaged;
    throw error;
  }
};

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

const openZip = async (bytes: StagedBytes) =>
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
const isContradiction = (error: unknown): boolean =>
  error instanceof Error &&
  (error.constructor === Error || ("code" in error && /^(Z_|ERR_BUFFER_TOO_LARGE)/.test(String(error.code))));

const findPackageFault = async (bytes: StagedBytes, zip: ZipFile): Promise<string | null> => {
  // A field may hold another name of an entry, in Unicode. Word and LibreOffice do not look at it, other readers do.
  const [named, renamed] = [new Map<string, Entry>(), new Map<string, Entry>()];
  const directoryStart = Number(zip.readEntryCursor);
  let isRenamed = false;
  let inflatedBytes = 0;
  for await (const entry of zip.eachEntry()) {
    inflatedBytes += entry.uncompressedSize;
    if (inflatedBytes > inflatedBytesMax) return tooLarge;
    if (entry.isEncrypted()) return encrypted;
    // All that the format of Office packages has, and so all that word processors read.
    if (entry.compressionMethod !== stored && entry.compressionMethod !== deflated) return damaged;
    // Some readers end a name at a NUL.
    if (entry.fileNameRaw.includes(0)) return damaged;
    const name = asPart(getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, [], false));
    const otherName = asPart(entry.fileName);
    // Readers differ in which of two equal entries they believe.
    if (named.has(name) || renamed.has(otherName)) return damaged;
    named.set(name, entry);
    renamed.set(otherName, entry);
    isRenamed ||= name !== otherName;
  }
  if (!(await agreesWithEnd(bytes, zip, directoryStart))) return damaged;
  if (!named.has(contentTypesPart) || !renamed.has(contentTypesPart)) return notWord;
  if (!(await agreesWithEntries(bytes, [...named.values()]))) return damaged;
  for (const parts of isRenamed ? [named, renamed] : [named]) {
    const fault = (await findTypeFault(bytes, zip, parts)) ?? (await findRelationshipFault(bytes, zip, parts));
    if (fault !== null) return fault;
  }
  return null;
};

const asPart = (name: string) => `/${name.toLowerCase()}`;

// Whether the last record follows the directory at once and says truly where it is, how long, and of how many entries. Some
// readers go to the place, others count the length back from the end or list what is there.
const agreesWithEnd = async (bytes: StagedBytes, zip: ZipFile, start: number): Promise<boolean> => {
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
const agreesWithEntries = async (bytes: StagedBytes, entries: readonly Entry[]): Promise<boolean> => {
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

/** Judges the parts that are there; types of parts and extensions that are not mean nothing. */
const findTypeFault = async (bytes: StagedBytes, zip: ZipFile, parts: Parts): Promise<string | null> => {
  const xml = await readPart(bytes, zip, parts.get(contentTypesPart), contentTypesBytesMax);
  const typeOf = xml && parseContentTypes(xml);
  if (!typeOf) return damaged;
  const names = [...parts.keys()];
  const types = new Set(names.map(typeOf));
  if (types.has(macroProject) || names.some((name) => name.endsWith("/vbaproject.bin"))) return macros;
  // A package is what its main part is. One with a second is whatever the program that opens it looks for first.
  const mainTypes = [...types].filter((type) => type !== undefined && /\.main(\+xml)?$/.test(type));
  if (mainTypes.some((type) => type?.includes("ms-word") && type.includes("macroenabled"))) return macros;
  if (mainTypes.some((type) => type?.endsWith("wordprocessingml.template.main+xml"))) return template;
  return mainTypes.length === 1 && mainTypes[0] === wordDocument ? null : notWord;
};

// LibreOffice takes a part for a project of macros where a relationship says so, whatever its name and type.
const findRelationshipFault = async (bytes: StagedBytes, zip: ZipFile, parts: Parts): Promise<string | null> => {
  let bytesLeft = relationshipsBytesMax;
  for (const [name, entry] of parts) {
    if (!name.endsWith(".rels")) continue;
    bytesLeft -= entry.uncompressedSize;
    if (bytesLeft < 0) return tooLarge;
    const xml = await readPart(bytes, zip, entry, relationshipsBytesMax);
    if (xml && isAppleDouble(xml)) continue;
    const tags = xml && readTags(xml);
    if (!tags) return damaged;
    if (tags.some(({ attributes }) => attributes.get("Type")?.endsWith("/vbaProject"))) return macros;
  }
  return null;
};

/** What macOS puts beside each file when it packs a folder. Nothing reads it as XML. */
const isAppleDouble = (part: Buffer) => part.subarray(0, 4).equals(appleDouble);

const readPart = async (bytes: StagedBytes, zip: ZipFile, entry: Entry | undefined, bytesMax: number) => {
  if (!entry || Math.max(entry.uncompressedSize, entry.compressedSize) > bytesMax) return null;
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
