// Judges whether an OLE compound file is a Word document without macros. Reads the directory and the chains of
// all streams, and nothing of what the document says. Structure: [MS-CFB].
import type { StagedBytes } from "../staged-bytes.ts";

const signature = Buffer.from("d0cf11e0a1b11ae1", "hex");
const headerBytes = 512;
const entryBytes = 128;

/** The allocation table's sectors that the header lists itself. They describe 6.8 MB, so no resume needs more. */
const tableSectorsMax = 109;

/** Entries of a directory that are read. Documents full of embedded objects have some hundreds; 8,192 are 1 MiB. */
const directoryEntriesMax = 8_192;

/** Sector numbers from here on are marks, not sectors. */
const sectorNumberMax = 0xfffffffa;

const damaged = "The DOC file is incomplete or damaged.";
const notWord = "Only PDF, DOC or DOCX files are accepted; this is a file of another program.";
export const encrypted = "The document is protected by a password. Please send it without one.";
export const macros =
  "Word files with macros are not accepted. Please send the document as PDF or as DOCX without macros.";

/** The storages in which Word and Excel keep a VBA project. In lower case. */
const macroStorages: ReadonlySet<string> = new Set(["macros", "_vba_project_cur"]);

type DirectoryEntry = ReturnType<typeof readEntry>;
type Layout = NonNullable<ReturnType<typeof readLayout>>;

export const isOle = (head: Buffer): boolean => head.subarray(0, signature.length).equals(signature);

export const findDocFault = async (bytes: StagedBytes): Promise<string | null> => {
  const layout = readLayout(await bytes.read(0, headerBytes), bytes.size);
  if (!layout) return damaged;
  const directory = await readDirectory(bytes, layout);
  if (!directory) return damaged;
  const entries = listRoot(directory);
  const streams = entries.filter(({ kind }) => kind === "stream");
  // Encrypted DOCX, XLSX and PPTX files are OLE files around one stream that tells nothing.
  if (streams.some(({ name }) => name === "encryptedpackage")) return encrypted;
  if (!streams.some(({ name }) => name === "worddocument")) return notWord;
  if (entries.some(({ name, kind }) => kind === "storage" && macroStorages.has(name))) return macros;
  return (await holdsStreams(bytes, layout, directory)) ? null : damaged;
};

const readLayout = (header: Buffer, size: number) => {
  if (header.length < headerBytes) return null;
  const sectorShift = header.readUInt16LE(0x1e);
  if (sectorShift !== 9 && sectorShift !== 12) return null;
  const sectorBytes = 2 ** sectorShift;
  return {
    sectorBytes,
    // Sectors that begin within the file; the header has the first for itself, and the last may be cut short.
    sectorCount: Math.ceil(size / sectorBytes) - 1,
    /** Streams below this many bytes lie in the mini stream. */
    miniStreamBelow: header.readUInt32LE(0x38),
    directoryStart: header.readUInt32LE(0x30),
    tableSectors: Array.from({ length: tableSectorsMax }, (_, index) => header.readUInt32LE(0x4c + index * 4)),
    /** Sectors of the table that were read, at most 436 KiB. A chain may jump between them and reads each once. */
    tableRead: new Map<number, Buffer>(),
  };
};

const sectorOffset = (layout: Layout, sector: number) => (sector + 1) * layout.sectorBytes;

/** The sector after this one, or null when the table does not tell. */
const readNextSector = async (bytes: StagedBytes, layout: Layout, sector: number): Promise<number | null> => {
  const perSector = layout.sectorBytes / 4;
  const tableSector = layout.tableSectors[Math.floor(sector / perSector)];
  if (tableSector === undefined || tableSector >= layout.sectorCount) return null;
  const table =
    layout.tableRead.get(tableSector) ?? (await bytes.read(sectorOffset(layout, tableSector), layout.sectorBytes));
  layout.tableRead.set(tableSector, table);
  const cell = (sector % perSector) * 4;
  return cell + 4 <= table.length ? table.readUInt32LE(cell) : null;
};

/** The sectors of a chain, at most `max`; null when it leaves the file or meets a sector `seen` before, so a circle too. */
const followChain = async (
  bytes: StagedBytes,
  layout: Layout,
  start: number,
  max: number,
  seen = new Set<number>(),
): Promise<number[] | null> => {
  const sectors: number[] = [];
  let sector: number | null = start;
  while (sector !== null && sector < sectorNumberMax && sectors.length < max) {
    if (sector >= layout.sectorCount || seen.has(sector)) return null;
    seen.add(sector);
    sectors.push(sector);
    sector = await readNextSector(bytes, layout, sector);
  }
  return sector === null ? null : sectors;
};

const readDirectory = async (bytes: StagedBytes, layout: Layout): Promise<DirectoryEntry[] | null> => {
  const sectorsMax = (directoryEntriesMax * entryBytes) / layout.sectorBytes;
  const sectors = await followChain(bytes, layout, layout.directoryStart, sectorsMax + 1);
  // Macros may stand behind the entries that are read.
  if (!sectors || sectors.length > sectorsMax) return null;
  const entries: DirectoryEntry[] = [];
  for (const sector of sectors) {
    // The file's last sector may be cut short. LibreOffice takes what is missing for zeros.
    const block = Buffer.concat(
      [await bytes.read(sectorOffset(layout, sector), layout.sectorBytes)],
      layout.sectorBytes,
    );
    for (let offset = 0; offset < block.length; offset += entryBytes) {
      entries.push(readEntry(block.subarray(offset, offset + entryBytes)));
    }
  }
  return entries;
};

/** By their numbers in the directory. */
const kinds = ["unused", "storage", "stream", "other", "other", "root"] as const;

const readEntry = (cell: Buffer) => {
  // The length counts the closing NUL. All names that matter here are ASCII.
  const nameBytes = Math.max(0, Math.min(cell.readUInt16LE(0x40), 64) - 2);
  return {
    name: cell.toString("utf16le", 0, nameBytes).toLowerCase(),
    kind: kinds[cell[0x42] ?? 0] ?? "other",
    left: cell.readUInt32LE(0x44),
    right: cell.readUInt32LE(0x48),
    child: cell.readUInt32LE(0x4c),
    start: cell.readUInt32LE(0x74),
    // The upper half is garbage in files of version 3, and no resume needs it.
    size: cell.readUInt32LE(0x78),
  };
};

// The entries directly in the root storage: a workbook may hold a Word document in a storage of its own. The tree may be in
// any order, because not every writer keeps the right one.
const listRoot = (directory: readonly DirectoryEntry[]): DirectoryEntry[] => {
  const entries = new Set<DirectoryEntry>();
  const open = directory.slice(0, 1).map(({ child }) => child);
  for (const index of open) {
    const entry = directory[index];
    if (!entry || entries.has(entry)) continue;
    entries.add(entry);
    open.push(entry.left, entry.right);
  }
  return [...entries];
};

// Whether the file is long enough for what its directory says of the streams. No sector belongs to two of them, so that each
// is looked at once. Small streams share one chain, which is the root's.
const holdsStreams = async (bytes: StagedBytes, layout: Layout, directory: readonly DirectoryEntry[]) => {
  const seen = new Set<number>();
  for (const { kind, start, size } of directory) {
    if (kind !== "stream" && kind !== "root") continue;
    if (size > bytes.size) return false;
    if (kind === "stream" && size < layout.miniStreamBelow) continue;
    const sectorsNeeded = Math.ceil(size / layout.sectorBytes);
    const sectors = await followChain(bytes, layout, start, sectorsNeeded, seen);
    if (sectors?.length !== sectorsNeeded) return false;
  }
  return true;
};
