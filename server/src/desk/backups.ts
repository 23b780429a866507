// A folder of backups. Each is a folder that is named after its moment: the database as one SQLite file, the resumes under
// their keys, and what makes it whole in `backup.json`. It gets its name last, so that one that was killed is no backup.
import { createReadStream, existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { Readable } from "node:stream";
import { kindOf, submissionKinds } from "@submissions/shared/kinds";
import { z } from "zod";
import { reached } from "../failpoint.ts";
import { ifMissing, isSystemError } from "../file-errors.ts";
import { makeFolder } from "../make-folder.ts";
import { keepFile } from "../resumes/keep-file.ts";
import { hashOf, syncFolder } from "../resumes/staging.ts";
import { ifThrown, ResumeMissing, type Vault } from "../resumes/vault.ts";
import type { KeptFile } from "../storage/inbound-store.ts";
import type { Store } from "../storage/store.ts";
import { OperatorError } from "../operator-error.ts";

export const databaseIn = (backup: string): string => join(backup, "submissions.sqlite");
export const resumesIn = (backup: string): string => join(backup, "resumes");
const manifestIn = (backup: string): string => join(backup, "backup.json");

const manifestShape = z.object({
  /** The version of this program. */
  version: z.string(),
  /** SHA-256 of the database's file, lower-case hexadecimal. */
  database: z.string(),
  resumes: z.number(),
  /** Resumes that were lost or damaged when it was made. A backup that says 0 is whole. */
  lacking: z.number().optional(),
});

/** What `backup.json` says. */
type Manifest = Readonly<z.infer<typeof manifestShape>>;

const unfinished = ".partial";
const namePattern = /^\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}\.\d{3}Z(?:\.partial)?$/;
/** A backup that began earlier and is not finished was killed. */
const unfinishedMsMax = 2 * 24 * 60 * 60 * 1000;

/** Names are in the order of time. */
const nameOf = (at: number): string => new Date(at).toISOString().replaceAll(":", "-");

/** When the backup of a folder began, by its name; NaN where that was changed. */
export const backupTime = (path: string): number => Date.parse(basename(path).replace(/T(..)-(..)-/, "T$1:$2:"));

/** For a `catch`: says that a file has the name of a folder, or of one above it. Other errors pass. */
function refuseFile(folder: string) {
  return (error: unknown): never => {
    if (!isSystemError(error) || !["EEXIST", "ENOTDIR"].includes(error.code ?? "")) throw error;
    throw new OperatorError(`${folder} is no folder. Name another one.`);
  };
}

/** Has `fill` write a backup into a new folder, and then gives that its name. What fails leaves nothing. */
export async function writeBackup(
  folder: string,
  at: number,
  fill: (path: string) => Promise<Omit<Manifest, "database">>,
): Promise<string> {
  await makeFolder(folder).catch(refuseFile(folder));
  const name = nameOf(at);
  const path = join(folder, name + unfinished);
  await mkdir(path, { mode: 0o700 });
  try {
    const manifest: Manifest = { ...(await fill(path)), database: await hashOfFile(databaseIn(path)) };
    await writeFile(manifestIn(path), `${JSON.stringify(manifest)}\n`, { mode: 0o600, flush: true });
    await syncFolder(path);
    reached("backup-written");
    await rename(path, join(folder, name));
    await syncFolder(folder);
    return name;
  } catch (error) {
    if (isFull(error)) throw new OperatorError(`There is no space left in ${folder}.`, { cause: error });
    throw error;
  } finally {
    await rm(path, { recursive: true, force: true });
  }
}

/** SQLite's numbers for a full disk: for the database, and for the index of its log. */
const fullCodes: readonly unknown[] = [13, 4_874];

/** Whether an error or one of its causes says that a disk is full: by Node's code, or by SQLite's number. */
const isFull = (error: unknown): boolean =>
  error instanceof Error &&
  (("code" in error && error.code === "ENOSPC") ||
    ("errcode" in error && fullCodes.includes(error.errcode)) ||
    isFull(error.cause));

/** The backups of a folder, the oldest first; none when there is no such folder. */
const listBackups = async (folder: string) => (await namesIn(folder)).filter((name) => !name.endsWith(unfinished));

async function namesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(ifMissing([])).catch(refuseFile(folder));
  return names.filter((name) => namePattern.test(name)).toSorted();
}

/**
 * Removes old backups, and what killed ones have left.
 * @param made the name of the one just made, which stays whatever the clock says
 * @param keep how many whole ones stay; Infinity: all
 * @returns the names of those whose time has not come, which stay and do not count, and of those that cannot be read
 */
export async function forgetBackups(folder: string, made: string, keep: number, now: number) {
  const names = await listBackups(folder);
  const future = names.filter((name) => name !== made && name > nameOf(now));
  const past = names.filter((name) => !future.includes(name));
  const unreadable: string[] = [];
  const lacking: string[] = [];
  for (const name of past) {
    const manifest = await readManifest(join(folder, name));
    if (manifest === null) unreadable.push(name);
    // At most as many of those that lack something: what is lost for good must not fill the disk.
    if (manifest?.lacking !== 0) lacking.push(name);
  }
  const oldest = past.filter((name) => !lacking.includes(name)).at(-keep) ?? "";
  for (const name of past.filter((one) => one < oldest || lacking.slice(0, -keep).includes(one))) {
    if (name === made) continue;
    // Killed from here on, what is left is no backup.
    await rename(join(folder, name), join(folder, name + unfinished));
    await rm(join(folder, name + unfinished), { recursive: true });
  }
  const killed = (await namesIn(folder)).filter((name) => name.endsWith(unfinished));
  for (const name of killed.filter((one) => one < nameOf(now - unfinishedMsMax))) {
    await rm(join(folder, name), { recursive: true, force: true });
  }
  return { future, unreadable };
}

/**
 * The backup that a folder is, or the newest in it that can be read, and the paths of those that were passed over.
 * @throws OperatorError when there is none, its database was changed, or the time of the newest has not come
 */
export async function findBackup(folder: string, now: number) {
  const isOne = existsSync(manifestIn(folder)) && !folder.endsWith(unfinished);
  const names = isOne ? [""] : (await listBackups(folder)).toReversed();
  const [newest = ""] = names;
  if (newest > nameOf(now)) {
    throw new OperatorError(
      `The newest backup, ${join(folder, newest)}, is of a time that has not come. Name the one to restore.`,
    );
  }
  const passedOver: string[] = [];
  for (const path of names.map((name) => join(folder, name))) {
    const manifest = await readManifest(path);
    if (manifest === null) {
      passedOver.push(path);
      continue;
    }
    if ((await hashOfFile(databaseIn(path))) !== manifest.database) {
      throw new OperatorError(`The database in ${path} is not the one that was written.`);
    }
    return { ...manifest, path, passedOver };
  }
  const which = passedOver.length === 0 ? "" : " whose backup.json can be read";
  throw new OperatorError(`There is no backup${which} in ${folder}.`);
}

/** Null: it is missing, was cut short, or cannot be read. */
async function readManifest(backup: string): Promise<Manifest | null> {
  try {
    return manifestShape.parse(JSON.parse(await readFile(manifestIn(backup), "utf8")));
  } catch (error) {
    if (isSystemError(error) || error instanceof SyntaxError || error instanceof z.ZodError) return null;
    throw error;
  }
}

const hashOfFile = (file: string): Promise<string> => hashOf(createReadStream(file));

/** Most of the time of each is spent waiting for an object store. */
const atOnce = 8;

/**
 * What became of one. `there`: the other vault has it already. `missing`, `damaged`: the first has no such file, or another
 * one than was uploaded. `in-the-way`: the other vault has another file of this name, which was left alone.
 */
export interface CopiedResume {
  readonly reference: string;
  readonly key: string;
  readonly result: "copied" | "there" | "missing" | "damaged" | "in-the-way";
}

async function* keptBy(store: Pick<Store, "readAll" | "inbound">): AsyncGenerator<KeptFile, void> {
  for (const kind of submissionKinds.filter((one) => kindOf(one).file !== null)) {
    for await (const submissions of store.readAll(kind, {})) {
      for (const { reference, resume } of submissions) if (resume !== null) yield { reference, ...resume };
    }
  }
  for await (const files of store.inbound.readFiles()) yield* files;
}

type Source = Pick<Vault, "read">;
type Target = Pick<Vault, "read" | "keep" | "stagingFolder">;

/**
 * Copies all resumes, and files of answers and replies, that are not there yet. It can be stopped and run again.
 * @throws VaultUnavailable
 */
export const copyResumes = (
  store: Pick<Store, "readAll" | "inbound">,
  from: Source,
  to: Target,
): AsyncIterable<CopiedResume> =>
  Readable.from(keptBy(store)).map((file: KeptFile) => copyResume(file, from, to), { concurrency: atOnce });

async function copyResume({ reference, key, sha256 }: KeptFile, from: Source, to: Target): Promise<CopiedResume> {
  const there = await to.read(key).catch(ifThrown(ResumeMissing, null));
  if (there !== null) return { reference, key, result: (await hashOf(there)) === sha256 ? "there" : "in-the-way" };
  const bytes = await from.read(key).catch(ifThrown(ResumeMissing, null));
  if (bytes === null) return { reference, key, result: "missing" };
  const kept = await keepFile(bytes, to, async (staged) => (staged.sha256 === sha256 ? "resume" : null), key);
  return { reference, key, result: kept === null ? "damaged" : "copied" };
}
