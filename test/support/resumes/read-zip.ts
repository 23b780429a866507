// Takes apart the ZIP files of the fixtures, which are known to be well, so that tests can put them together anew.
import { inflateRawSync } from "node:zlib";
import type { ZipEntry } from "./write-zip.ts";

export const readZip = (file: Buffer): ZipEntry[] => {
  const end = file.lastIndexOf(Buffer.from("PK\u0005\u0006"));
  const entries: ZipEntry[] = [];
  let offset = file.readUInt32LE(end + 16);
  for (let left = file.readUInt16LE(end + 10); left > 0; left -= 1) {
    const local = file.readUInt32LE(offset + 42);
    const start = local + 30 + file.readUInt16LE(local + 26) + file.readUInt16LE(local + 28);
    const packed = file.subarray(start, start + file.readUInt32LE(offset + 20));
    const nameBytes = file.readUInt16LE(offset + 28);
    entries.push({
      name: file.toString("utf8", offset + 46, offset + 46 + nameBytes),
      data: file.readUInt16LE(offset + 10) === 0 ? packed : inflateRawSync(packed),
    });
    offset += 46 + nameBytes + file.readUInt16LE(offset + 30) + file.readUInt16LE(offset + 32);
  }
  return entries;
};
