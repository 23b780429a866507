// Copies resumes from one vault into another under the keys that their applications know, each checked against the checksum
// of its upload. Overwrites nothing.
import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { hashOf, stage } from "../resumes/staging.ts";
import { ResumeMissing, type Vault } from "../resumes/vault.ts";
import type { ResumeRecord } from "../storage/records.ts";
import type { Store } from "../storage/store.ts";

/** Most of the time of each is spent waiting for an object store. */
const atOnce = 8;

/**
 * What became of one. `there`: the other vault has it already. `missing`, `damaged`: the vault it comes from has no such
 * file, or another one than was uploaded; not copied. `in-the-way`: the other vault has another file of this name, which
 * was left alone.
 */
export interface CopiedResume {
  readonly reference: string;
  readonly key: string;
  readonly result: "copied" | "there" | "missing" | "damaged" | "in-the-way";
}

type ListedResume = ResumeRecord & { readonly reference: string };

async function* resumesOf(store: Pick<Store, "readAll">): AsyncGenerator<ListedResume, void> {
  for await (const applications of store.readAll("application", {})) {
    for (const { reference, resume } of applications) if (resume !== null) yield { reference, ...resume };
  }
}

type Source = Pick<Vault, "read">;
type Target = Pick<Vault, "read" | "keep" | "stagingFolder">;

/**
 * Copies the resumes of all applications that are not there yet. Stopped at any moment, it can be run again.
 *
 * @throws VaultUnavailable
 */
export const copyResumes = (store: Pick<Store, "readAll">, from: Source, to: Target): AsyncIterable<CopiedResume> =>
  Readable.from(resumesOf(store)).map((resume: ListedResume) => copyResume(resume, from, to), { concurrency: atOnce });

async function copyResume({ reference, key, sha256 }: ListedResume, from: Source, to: Target): Promise<CopiedResume> {
  const there = await readIfThere(to, key);
  if (there !== null) return { reference, key, result: (await hashOf(there)) === sha256 ? "there" : "in-the-way" };
  const bytes = await readIfThere(from, key);
  if (bytes === null) return { reference, key, result: "missing" };
  const path = join(to.stagingFolder, randomUUID());
  try {
    const staged = await stage(bytes, path);
    if (staged.sha256 !== sha256) return { reference, key, result: "damaged" };
    await to.keep(staged, { key });
    return { reference, key, result: "copied" };
  } finally {
    await rm(path, { force: true });
  }
}

async function readIfThere(vault: Source, key: string): Promise<Readable | null> {
  try {
    return await vault.read(key);
  } catch (error) {
    if (error instanceof ResumeMissing) return null;
    throw error;
  }
}
