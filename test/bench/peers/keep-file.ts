// Keeps an upload as one would by hand: streamed to the disk, hashed on the way, synced, renamed, its folder synced.
import { createHash, randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, open, rename } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

const folder = join(process.env["DATA_DIR"] ?? "", "resumes");
await mkdir(folder, { recursive: true });

/** Answers the SHA-256 of its bytes. */
export async function keepFile(file: Readable): Promise<string> {
  const path = join(folder, randomUUID());
  const hash = createHash("sha256");
  file.on("data", (chunk: Buffer) => hash.update(chunk));
  await pipeline(file, createWriteStream(`${path}.part`));
  await sync(`${path}.part`);
  await rename(`${path}.part`, path);
  await sync(folder);
  return hash.digest("hex");
}

async function sync(path: string): Promise<void> {
  await using handle = await open(path, "r");
  await handle.sync();
}
