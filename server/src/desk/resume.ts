// Gives a resume to an operator: decides whether it may be given out.
import { downloadName } from "../resumes/display-name.ts";
import type { DeskStore, Scope } from "../storage/desk-store.ts";
import type { ResumeRecord, ScanState } from "../storage/records.ts";

/** A resume that may be given out. It is saved under `filename`, which has an extension. */
export type Download = Extract<Awaited<ReturnType<typeof findDownload>>, ResumeRecord>;

/** Why a resume is not given out; null: it may be. Without a scanner no resume is ever judged, and all may be. */
export const withheldAs = (scan: ScanState, scanned: boolean): "infected" | "unscanned" | null =>
  scan === "infected" || (scanned && scan === "unscanned") ? scan : null;

/** `absent`: there is none. The virus scanner found others infected, or has not judged them yet. */
export async function findDownload(desk: DeskStore, scope: Scope, reference: string, scanned: boolean) {
  const detail = await desk.findDetail(scope, reference);
  const resume = detail?.submission.resume ?? null;
  if (resume === null) return { result: "absent" } as const;
  const withheld = withheldAs(detail?.scan ?? "unscanned", scanned);
  if (withheld !== null) return { result: withheld };
  return { ...resume, result: "allowed" as const, filename: downloadName(resume.filename, resume.kind) };
}
