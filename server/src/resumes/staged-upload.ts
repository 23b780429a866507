// An uploaded resume on its way from the body reader to the intake, judged by its bytes already. It is a `File`, so that
// FormData and the schema take it for what it is, but its bytes lie in the staging folder and are never in memory.
import type { ResumeRecord } from "../storage/records.ts";
import type { StagedFile } from "./vault.ts";

export class StagedUpload extends File {
  readonly staged: StagedFile;
  /** What the bytes are, and the name to show. */
  readonly inspected: Pick<ResumeRecord, "kind" | "filename">;

  constructor(staged: StagedFile, inspected: StagedUpload["inspected"]) {
    super([], inspected.filename);
    this.staged = staged;
    this.inspected = inspected;
  }

  override get size(): number {
    return this.staged.size;
  }
}
