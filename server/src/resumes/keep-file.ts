// Keeps what is written to the vault beside uploads of resumes: files of answers and of replies, copies.
import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { stage } from "./staging.ts";
import type { StagedFile, Vault } from "./vault.ts";

export type FileVault = Pick<Vault, "stagingFolder" | "keep" | "discard">;

/**
 * Streams bytes into the vault. Nothing stays in the staging folder.
 * @param judge says what a file is; null: it is not kept. What it throws keeps the file out, too
 * @param key see `Vault.keep`
 * @throws VaultUnavailable
 */
export async function keepFile<Kind>(
  bytes: Readable,
  vault: Pick<FileVault, "stagingFolder" | "keep">,
  judge: (staged: StagedFile) => Promise<Kind | null>,
  key?: string,
) {
  const path = join(vault.stagingFolder, randomUUID());
  try {
    const staged = await stage(bytes, path);
    const kind = await judge(staged);
    const { size, sha256 } = staged;
    if (kind === null) return null;
    return { kind, size, sha256, key: await vault.keep(staged, key === undefined ? {} : { key }) };
  } finally {
    await rm(path, { force: true });
  }
}

export async function discardFiles(keys: readonly string[], vault: Pick<Vault, "discard">): Promise<void> {
  // What cannot be discarded now is found by the sweep.
  await Promise.all(keys.map((key) => vault.discard(key).catch(() => {})));
}
