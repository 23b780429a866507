// An uploaded file on its way from the form reader to the intake. It is a `File`, so that FormData and the schema take
// it for what it is, but its bytes lie in the staging folder and are never in memory.
import type { StagedFile } from "./vault.ts";

export class StagedUpload extends File {
  readonly staged: StagedFile;

  constructor(staged: StagedFile, filename: string) {
    super([], filename);
    this.staged = staged;
  }

  override get size(): number {
    return this.staged.size;
  }
}
