// Writes small ZIP files for tests, truthful by default and able to lie in every field that a reader might believe.
import { crc32, deflateRawSync } from "node:zlib";

export interface ZipEntry {
  readonly name: string;
  readonly data: string | Buffer;
  /** Without compression. */
  readonly stored?: boolean;
  readonly claims?: Partial<Record<"size" | "packedSize" | "sum" | "flags" | "method" | "offset", number>>;
  /** What its own header says instead, of a name of the same length. */
  readonly own?: { readonly name?: string } & Readonly<
    Partial<Record<"flags" | "method" | "sum" | "packedSize" | "size", number>>
  >;
  /** The directory leaves it out. */
  readonly unlisted?: boolean;
  /** Another spelling of its name, in the field that Info-ZIP has for Unicode. */
  readonly unicodeName?: string;
}

interface ZipOptions {
  /** Bytes in front of everything; offsets count from the start of the file, as a self-extractor's would. */
  readonly prefix?: Buffer;
  readonly claims?: Partial<Record<"entries" | "directorySize" | "directoryOffset", number>>;
  /** Goes between the directory and the end record: a ZIP64 record and its locator. */
  readonly beforeEnd?: (offset: number) => Buffer;
}

const record = (...fields: readonly (readonly [bytes: 1 | 2 | 4 | 8, value: number | bigint])[]): Buffer => {
  const buffer = Buffer.alloc(fields.reduce((sum, [bytes]) => sum + bytes, 0));
  let offset = 0;
  for (const [bytes, value] of fields) {
    if (bytes === 8) buffer.writeBigUInt64LE(BigInt(value), offset);
    else buffer.writeUIntLE(Number(value), offset, bytes);
    offset += bytes;
  }
  return buffer;
};

export const writeZip = (entries: readonly ZipEntry[], options: ZipOptions = {}): Buffer => {
  const body: Buffer[] = [options.prefix ?? Buffer.alloc(0)];
  const directory: Buffer[] = [];
  let offset = body[0]?.length ?? 0;
  for (const { name, data, stored = false, claims = {}, own = {}, unlisted = false, unicodeName } of entries) {
    const plain = Buffer.from(data);
    const packed = stored ? plain : deflateRawSync(plain);
    const nameBytes = Buffer.from(name);
    const spelling = Buffer.from(unicodeName ?? "");
    const field = record([2, 0x7075], [2, 5 + spelling.length], [1, 1], [4, crc32(nameBytes)]);
    const extra = unicodeName === undefined ? Buffer.alloc(0) : Buffer.concat([field, spelling]);
    // From the flags to the length of the extra field: the same in both headers.
    const shared = record(
      [2, claims.flags ?? 0x0800],
      [2, claims.method ?? (stored ? 0 : 8)],
      [4, 0],
      [4, claims.sum ?? crc32(plain)],
      [4, claims.packedSize ?? packed.length],
      [4, claims.size ?? plain.length],
      [2, nameBytes.length],
      [2, extra.length],
    );
    const local = Buffer.concat([
      record([4, 0x04034b50], [2, 20]),
      shared,
      Buffer.from(own.name ?? name),
      extra,
      packed,
    ]);
    if (own.flags !== undefined) local.writeUInt16LE(own.flags, 6);
    if (own.method !== undefined) local.writeUInt16LE(own.method, 8);
    for (const [at, number] of [own.sum, own.packedSize, own.size].entries())
      if (number !== undefined) local.writeUInt32LE(number, 14 + 4 * at);
    const attributes = record([2, 0], [2, 0], [2, 0], [4, 0], [4, claims.offset ?? offset]);
    if (!unlisted) directory.push(record([4, 0x02014b50], [2, 20], [2, 20]), shared, attributes, nameBytes, extra);
    body.push(local);
    offset += local.length;
  }
  const listing = Buffer.concat(directory);
  const { claims = {} } = options;
  const listed = entries.filter(({ unlisted = false }) => !unlisted).length;
  const end = record(
    [4, 0x06054b50],
    [4, 0],
    [2, claims.entries ?? listed],
    [2, claims.entries ?? listed],
    [4, claims.directorySize ?? listing.length],
    [4, claims.directoryOffset ?? offset],
    [2, 0],
  );
  const beforeEnd = options.beforeEnd?.(offset + listing.length) ?? Buffer.alloc(0);
  return Buffer.concat([...body, listing, beforeEnd, end]);
};

/** A ZIP64 end record at `offset` and its locator, which points to `locates`. */
export const writeZip64End = (
  offset: number,
  entries: bigint,
  directoryOffset: bigint,
  locates = BigInt(offset),
): Buffer =>
  Buffer.concat([
    record([4, 0x06064b50], [8, 44], [2, 45], [2, 45], [4, 0], [4, 0], [8, entries], [8, entries]),
    record([8, BigInt.asUintN(64, BigInt(offset) - directoryOffset)], [8, directoryOffset]),
    record([4, 0x07064b50], [4, 0], [8, locates], [4, 1]),
  ]);

export const wordMain = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml";

/** `[Content_Types].xml` as Word writes it, naming `main` as the type of `/word/document.xml`. */
export const contentTypesXml = (main: string = wordMain, more = ""): string =>
  `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n` +
  `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
  `<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
  `<Default Extension="xml" ContentType="application/xml"/>` +
  `<Override PartName="/word/document.xml" ContentType="${main}"/>${more}</Types>`;

const relationships =
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" ` +
  `Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`;

/** The entries of a small Word document around a given `[Content_Types].xml`. */
export const wordEntries = (contentTypes: string | Buffer = contentTypesXml()): ZipEntry[] => [
  { name: "[Content_Types].xml", data: contentTypes },
  { name: "_rels/.rels", data: relationships },
  { name: "word/document.xml", data: "<w:document/>" },
];
