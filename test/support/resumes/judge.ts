// Puts bytes into a file and asks for a judgement, for tests that make up their documents.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { inspectResume, type Inspection } from "../../../server/src/resumes/inspect.ts";

/** To be called once in a test file; the folder goes away with its tests. */
export const useJudge = (): ((content: string | Uint8Array, filename?: string) => Promise<Inspection>) => {
  const folder = mkdtempSync(join(tmpdir(), "judge-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  return (content, filename = "") => {
    const path = join(folder, "staged");
    writeFileSync(path, content);
    return inspectResume(path, filename);
  };
};

export const smallPdf = [
  "%PDF-1.4",
  "1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj",
  "2 0 obj <</Type /Pages /Kids [] /Count 0>> endobj",
  "trailer <</Root 1 0 R>>",
  "startxref",
  "0",
  "%%EOF",
  "",
].join("\n");
