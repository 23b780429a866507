// The resume port: where the bytes of resumes lie. A vault names what it keeps; names tell nothing and are never made
// from what a caller sent.
import type { Readable } from "node:stream";

/** An upload that was streamed to the staging area. */
export interface StagedFile {
  /** Where its bytes lie, on the vault's own volume. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
}

export interface Vault extends AsyncDisposable {
  /** Folder for staging files; made by {@link open} functions, mode 0700. */
  readonly stagingFolder: string;
  /** Moves a staged file to stable storage and answers its key. The file is synced before the promise resolves. */
  keep(staged: StagedFile): Promise<string>;
  /** Takes back a kept file whose application was not accepted. Absent files are no error. */
  discard(key: string): Promise<void>;
  /** The bytes of a kept file. Rejects when there is none. */
  read(key: string): Promise<Readable>;
  /** Whether files can be kept now. */
  checkReadiness(): Promise<{ readonly ready: boolean; readonly reason?: string }>;
  /**
   * Removes staging leftovers and kept files that no application knows, both only when older than `olderThanMs` so that
   * a submission under way is never touched. Answers how many of each. Kept files that are unknown but too many to be
   * leftovers of crashes are left alone and answered as `withheld`.
   */
  sweep(
    known: (keys: readonly string[]) => Promise<ReadonlySet<string>>,
    olderThanMs: number,
  ): Promise<{ readonly staged: number; readonly orphaned: number; readonly withheld: number }>;
}
