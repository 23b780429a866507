// The resume port: where the bytes of resumes lie. A vault names what it keeps; names tell nothing and are never made
// from what a caller sent.
import type { Readable } from "node:stream";

/** An upload that was streamed to the staging area. */
export interface StagedFile {
  /** Where its bytes lie, in the vault's staging folder. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
}

/** What a sweep removed, and what it left alone. */
export interface Swept {
  /** Staging leftovers that were removed. */
  readonly staged: number;
  /** Kept files without an application that were removed. */
  readonly orphaned: number;
  /** Kept files without an application that were left alone, because they are too many to be leftovers of crashes. */
  readonly withheld: number;
}

/** Answers those of the keys that belong to an application. */
export type KnownKeys = (keys: readonly string[]) => Promise<ReadonlySet<string>>;

export interface Vault extends AsyncDisposable {
  /** Folder for staging files on this machine; made by {@link open} functions, mode 0700. */
  readonly stagingFolder: string;
  /**
   * Moves a staged file to stable storage and answers its key. When the promise resolves, the file outlives this
   * machine's power; when it rejects, the file may be there all the same, and is swept.
   *
   * @param key under which another vault kept it, and nothing is kept here; otherwise one is drawn
   * @throws VaultUnavailable
   */
  keep(staged: StagedFile, key?: string): Promise<string>;
  /**
   * Takes back a kept file whose application was not accepted. Absent files are no error.
   *
   * @throws VaultUnavailable
   */
  discard(key: string): Promise<void>;
  /**
   * The bytes of a kept file.
   *
   * @throws ResumeMissing, VaultUnavailable
   */
  read(key: string): Promise<Readable>;
  /**
   * A web address from which anybody who has it can fetch a kept file for the next five minutes, to be saved under
   * `filename`; null when this vault gives none. Whether the file is there is not looked at.
   *
   * @throws VaultUnavailable
   */
  link(key: string, filename: string): Promise<string | null>;
  /** Whether files can be kept now. The reason is for the log, and holds no secret. */
  checkReadiness(): Promise<{ readonly ready: boolean; readonly reason?: string }>;
  /**
   * Removes this machine's staging leftovers, and kept files that no application knows, both only when older than
   * `olderThanMs` so that a submission under way is never touched. Several processes may sweep at once.
   *
   * @throws VaultUnavailable
   */
  sweep(known: KnownKeys, olderThanMs: number): Promise<Swept>;
}

/** The vault cannot be used now; later it may. The message is ours and holds no data. */
export class VaultUnavailable extends Error {
  override readonly name = "VaultUnavailable";
}

/** There is no file under this key. Others may well be there. */
export class ResumeMissing extends Error {
  override readonly name = "ResumeMissing";
}

/** A setting asks for what this installation cannot do. The message says what to do about it. */
export class SettingUnusable extends Error {
  override readonly name = "SettingUnusable";
  /** The environment variable. */
  readonly variable: string;

  constructor(variable: string, message: string) {
    super(message);
    this.variable = variable;
  }
}
