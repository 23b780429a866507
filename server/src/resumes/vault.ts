// The resume port: where the bytes of resumes lie. A vault names what it keeps. Names are random and tell nothing.
import { createHash, randomBytes } from "node:crypto";
import { PassThrough, pipeline, type Readable } from "node:stream";
import { shownDay } from "../clock.ts";
import type { ResumeRecord } from "../storage/records.ts";
import { OperatorError } from "../operator-error.ts";

/** An upload that was streamed to the staging folder. */
export interface StagedFile {
  /** Where its bytes lie, in the vault's staging folder. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
}

/** An uploaded resume that was judged by its bytes. It is kept once its application is accepted. */
export interface StagedResume extends StagedFile, Pick<ResumeRecord, "kind" | "filename"> {}

/** Answers those of the keys that an application, an answer or a reply knows. */
export type KnownKeys = (keys: readonly string[]) => Promise<ReadonlySet<string>>;

export interface SweepOptions {
  readonly known: KnownKeys;
  /** The identity of the store that `known` asks. */
  readonly identity: string;
  /** Younger files are left alone, so that a submission under way is never touched. Milliseconds. */
  readonly olderThanMs: number;
}

/** What a sweep did, in files. */
export interface Swept {
  /** Staging leftovers that were removed. */
  readonly staged: number;
  /** Known to nothing that is stored, and set aside. */
  readonly setAside: number;
  /** Set aside before, and put back: they are known after all. */
  readonly putBack: number;
  /** Set aside 30 days ago, or left behind when this process tried in vain to take them back. */
  readonly removed: number;
  /**
   * Why files that nothing knows were left where they are. `other-identity`: the vault belongs to another store, or
   * belongs to none and the store knows none of its old resumes. `too-many`: these are no leftovers of crashes; the store
   * was probably restored from a backup. They are left alone for good.
   */
  readonly withheld: "none" | "other-identity" | "too-many";
}

export interface Vault extends AsyncDisposable {
  /** Folder for staging files on this machine, mode 0700. */
  readonly stagingFolder: string;
  /**
   * Moves a staged file to stable storage and answers its key. When it rejects, the next sweep removes what may be there.
   * @param options.deadline when to give up, by `performance.now()`; without one after some seconds
   * @param options.key under which another vault kept the file; otherwise a key is drawn
   * @throws VaultUnavailable
   */
  keep(staged: StagedFile, options?: { readonly deadline?: number; readonly key?: string }): Promise<string>;
  /** Removes a kept file, if it is there. What it cannot remove soon, the next sweep removes. @throws VaultUnavailable */
  discard(key: string): Promise<void>;
  /** @throws ResumeMissing, VaultUnavailable; the bytes fail with VaultUnavailable when they end early */
  read(key: string): Promise<Readable>;
  /** A link that saves a kept file as `filename` for five minutes; null: this vault has none. @throws VaultUnavailable */
  link(key: string, filename: string): Promise<string | null>;
  /** Whether files can be kept now. The reason is for the log, and holds no secret. */
  checkReadiness(): Promise<{ readonly ready: boolean; readonly reason?: string }>;
  /** Whether the disk of the staging folder has room for uploads. The answer may be 1 s old. Never rejects. */
  hasRoom(): Promise<boolean>;
  /**
   * Removes this machine's old staging leftovers, and sets aside kept files that nothing knows, to be deleted 30 days later:
   * only of the last days, only when store and vault bear the same identity, and none when there are too many.
   * @throws VaultUnavailable
   */
  sweep(options: SweepOptions): Promise<Swept>;
  /** Whether the vault bears the identity of a store, which its first sweep gives it. @throws VaultUnavailable */
  belongsTo(identity: string): Promise<boolean>;
}

/** The vault cannot be used now; later it may. The message is ours and holds no data. */
export class VaultUnavailable extends OperatorError {}

/** There is no file under this key. There may be others. */
export class ResumeMissing extends OperatorError {}

/** For a `catch`: what stands for one of these errors. Others pass. */
export const ifThrown =
  <T>(expected: typeof VaultUnavailable | typeof ResumeMissing, instead: T) =>
  (error: unknown): T => {
    if (error instanceof expected) return instead;
    throw error;
  };

/** The same bytes. When they end early, they fail as the vault does. @param asVaultError the error that is thrown instead */
export function failingAsVault(bytes: Readable, asVaultError: (error: unknown) => unknown): Readable {
  const read = new PassThrough({
    destroy: (error, done) => done(error === null ? null : (asVaultError(error) as Error)),
  });
  // A reader that goes away closes the source. The error is that of `read`.
  pipeline(bytes, read, () => {});
  return read;
}

/** How every vault names what it keeps, so that copies keep the names: `yyyy/mm/dd/` and 128 random bits. */
export const keyPattern = /^\d{4}\/\d{2}\/\d{2}\/[0-9a-f]{32}$/;

/** The folder of the UTC day of an instant (milliseconds since the epoch). */
export const dayOf = (now: number): string => shownDay(now).replaceAll("-", "/");

export const drawKey = (now: number): string => `${dayOf(now)}/${randomBytes(16).toString("hex")}`;

/** @throws RangeError */
export const assertKey = (key: string): void => {
  if (!keyPattern.test(key)) throw new RangeError("not a key of this vault");
};

class FileDamaged extends OperatorError {}

/** The bytes of a kept file. @throws FileDamaged at their end; ResumeMissing, VaultUnavailable */
export async function* readChecked(
  vault: Pick<Vault, "read">,
  { key, sha256 }: { readonly key: string; readonly sha256: string },
) {
  const hash = createHash("sha256");
  for await (const chunk of (await vault.read(key)) as Readable & AsyncIterable<Buffer>) {
    hash.update(chunk);
    yield chunk;
  }
  if (hash.digest("hex") === sha256) return;
  throw new FileDamaged("The stored file differs from what was uploaded: its checksum is wrong.");
}
