// Whether SQLite's log still holds what was written to it. The kernel may lose pages that it could not write. A checkpoint
// would then copy what is left over good pages of the database: only recovery compares checksums.
// The format: https://sqlite.org/fileformat2.html#the_write_ahead_log
import { readSync } from "node:fs";

const headerBytes = 32;
const frameHeaderBytes = 24;

/**
 * Compares the checksums of the log, which follow from each other.
 *
 * @param log a descriptor
 * @param frames how many frames the log holds, each with one page
 */
export function isLogWhole(log: number, frames: number): boolean {
  const header = Buffer.alloc(headerBytes);
  if (readSync(log, header, 0, headerBytes, 0) < headerBytes) return false;
  const [salts, pageBytes] = [header.subarray(16, 24), header.readUInt32BE(8)];
  // The last bit of the magic number: in which order the words that are summed have their bytes.
  const sum = checksum((header.readUInt32BE(0) & 1) === 1);
  sum.add(header.subarray(0, 24));
  if (!sum.isAt(header, 24)) return false;
  const frame = Buffer.alloc(frameHeaderBytes + pageBytes);
  for (let number = 0; number < frames; number += 1) {
    const bytes = readSync(log, frame, 0, frame.length, headerBytes + number * frame.length);
    if (bytes < frame.length || !frame.subarray(8, 16).equals(salts)) return false;
    sum.add(frame.subarray(0, 8));
    sum.add(frame.subarray(frameHeaderBytes));
    if (!sum.isAt(frame, 16)) return false;
  }
  return true;
}

function checksum(isBigEndian: boolean) {
  let [first, second] = [0, 0];
  return {
    add(bytes: Buffer): void {
      const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
      for (let at = 0; at < bytes.length; at += 8) {
        first = (first + words.getUint32(at, !isBigEndian) + second) >>> 0;
        second = (second + words.getUint32(at + 4, !isBigEndian) + first) >>> 0;
      }
    },
    /** Whether it is what is written at a place. */
    isAt: (bytes: Buffer, place: number): boolean =>
      bytes.readUInt32BE(place) === first && bytes.readUInt32BE(place + 4) === second,
  };
}
