// Judges whether a ZIP file is a Word document without macros, by `[Content_Types].xml` and the relationships of parts. Names
// of entries are compared and never used as paths.
import { getFileNameLowLevel, type Entry, type ZipFile } from "yauzl";
import { parseContentTypes } from "./content-types.ts";
import { encrypted, macros } from "./doc.ts";
import type { StagedBytes } from "../staged-bytes.ts";
import {
  agreesWithEnd,
  agreesWithEntries,
  deflated,
  entriesMax,
  isContradiction,
  openZip,
  readEntry,
  stored,
} from "./zip.ts";
import { readTags } from "./xml-tags.ts";

/** What all entries together say they inflate to. No bound on the ratio: honest documents of 60 KB inflate seventyfold. */
const inflatedBytesMax = 100_000_000;

/** `[Content_Types].xml` has some 150 bytes for each part. */
const contentTypesBytesMax = 256 * 1024;

const contentTypesPart = "/[content_types].xml";

const appleDouble = Buffer.from([0, 5, 0x16, 7]);

/** Of all parts together. A link takes some 200 bytes. */
const relationshipsBytesMax = 1024 * 1024;

/** Transitional and strict documents share it. */
const wordDocument = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml";
const macroProject = "application/vnd.ms-office.vbaproject";

const damaged = "The DOCX file is incomplete or damaged.";
const notWord = "Only PDF, DOC or DOCX files are accepted; this is a file of another kind.";
const tooLarge = "The DOCX file is too large once unpacked.";
const template = "Word templates are not accepted. Please save the document as DOCX or PDF.";

/** The entries by the names of their parts, in lower case. */
type Parts = ReadonlyMap<string, Entry>;

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

/** Judges the parts that are there; types of parts and extensions that are not mean nothing. */
const findTypeFault = async (bytes: StagedBytes, zip: ZipFile, parts: Parts): Promise<string | null> => {
  const contentTypes = parts.get(contentTypesPart);
  const xml = contentTypes && (await readEntry(bytes, zip, contentTypes, contentTypesBytesMax));
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
    const xml = await readEntry(bytes, zip, entry, relationshipsBytesMax);
    if (xml && isAppleDouble(xml)) continue;
    const tags = xml && readTags(xml);
    if (!tags) return damaged;
    if (tags.some(({ attributes }) => attributes.get("Type")?.endsWith("/vbaProject"))) return macros;
  }
  return null;
};

/** What macOS puts beside each file when it packs a folder. Nothing reads it as XML. */
const isAppleDouble = (part: Buffer) => part.subarray(0, 4).equals(appleDouble);
