// Writes small OLE compound files for tests. Truthful by default; `edit` changes what a reader might believe.

const endOfChain = 0xfffffffe;
const free = 0xffffffff;

export interface CompoundEntry {
  readonly name: string;
  readonly type: "storage" | "stream";
  /** Bytes of the stream; shorter ones than 4,096 are padded, so that no mini stream is needed. */
  readonly size?: number;
  readonly children?: readonly CompoundEntry[];
}

interface Flat {
  readonly entry: CompoundEntry;
  right: number;
  child: number;
}

/** Depth first; siblings are chained to the right, as a tree without balance. */
const flatten = (entries: readonly CompoundEntry[], into: Flat[]): number => {
  let first = free;
  let previous: Flat | null = null;
  for (const entry of entries) {
    const index = into.length;
    const flat: Flat = { entry, right: free, child: free };
    into.push(flat);
    if (previous) previous.right = index;
    else first = index;
    previous = flat;
    flat.child = flatten(entry.children ?? [], into);
  }
  return first;
};

/** What of the file a test can bend before it is put together. */
export interface CompoundParts {
  readonly header: Buffer;
  /** The allocation table, one number for each sector. Sector 0 holds the table, the directory begins at 1. */
  readonly table: number[];
  /** 128 bytes for each entry; the root is the first. */
  readonly directory: Buffer;
}

/** @param sectorShift 9 or 12 in honest files, which write it into their header */
export const writeCompound = (
  entries: readonly CompoundEntry[],
  edit: (parts: CompoundParts) => void = () => {},
  sectorShift = 9,
): Buffer => {
  const sectorBytes = 2 ** sectorShift;
  const flats: Flat[] = [{ entry: { name: "Root Entry", type: "storage" }, right: free, child: free }];
  const first = flatten(entries, flats);
  if (flats[0]) flats[0].child = first;
  const directorySectors = Math.ceil((flats.length * 128) / sectorBytes);
  const directory = Buffer.alloc(directorySectors * sectorBytes);
  const table: number[] = [0xfffffffd];
  for (let sector = 1; sector <= directorySectors; sector += 1) {
    table.push(sector === directorySectors ? endOfChain : sector + 1);
  }
  for (const [index, { entry, right, child }] of flats.entries()) {
    const cell = directory.subarray(index * 128, index * 128 + 128);
    cell.write(entry.name, "utf16le");
    cell.writeUInt16LE((entry.name.length + 1) * 2, 0x40);
    cell[0x42] = index === 0 ? 5 : entry.type === "stream" ? 2 : 1;
    cell.writeUInt32LE(free, 0x44);
    cell.writeUInt32LE(right, 0x48);
    cell.writeUInt32LE(child, 0x4c);
    if (entry.type === "storage") continue;
    const size = Math.max(entry.size ?? 0, 4_096);
    cell.writeUInt32LE(table.length, 0x74);
    cell.writeUInt32LE(size, 0x78);
    const last = table.length + Math.ceil(size / sectorBytes) - 1;
    while (table.length <= last) table.push(table.length === last ? endOfChain : table.length + 1);
  }
  const header = Buffer.alloc(sectorBytes);
  Buffer.from("d0cf11e0a1b11ae1", "hex").copy(header);
  header.writeUInt16LE(0x3e, 0x18);
  header.writeUInt16LE(3, 0x1a);
  header.writeUInt16LE(0xfffe, 0x1c);
  header.writeUInt16LE(sectorShift, 0x1e);
  header.writeUInt16LE(6, 0x20);
  header.writeUInt32LE(1, 0x2c);
  header.writeUInt32LE(1, 0x30);
  header.writeUInt32LE(4_096, 0x38);
  header.fill(0xff, 0x4c, 512);
  header.writeUInt32LE(0, 0x4c);
  const sectorCount = table.length;
  if (sectorCount > sectorBytes / 4) throw new RangeError("one sector of the table is all this writes");
  edit({ header, table, directory });
  const tableSector = Buffer.alloc(sectorBytes, 0xff);
  for (const [sector, next] of table.entries()) tableSector.writeUInt32LE(next, sector * 4);
  const data = Buffer.alloc((sectorCount - 1 - directorySectors) * sectorBytes);
  return Buffer.concat([header, tableSector, directory, data]);
};

/** A Word document with the streams that Word writes. */
export const wordCompound = (edit?: (parts: CompoundParts) => void): Buffer =>
  writeCompound(
    [
      { name: "1Table", type: "stream" },
      { name: "WordDocument", type: "stream" },
      { name: "\u0005SummaryInformation", type: "stream" },
    ],
    edit,
  );
