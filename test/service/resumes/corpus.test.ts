// Real documents of many programs, each with what should become of it. CORPORA_DIR names a larger collection.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { inspectResume } from "../../../server/src/resumes/inspect.ts";

interface Line {
  /** Relative to the collection's root. */
  readonly file: string;
  readonly kind: string;
  readonly sendAs: { readonly filename: string };
  readonly expect: "accept" | "refuse" | "either";
  readonly reason: string;
}

const collections = [join(import.meta.dirname, "../../fixtures/documents")];
if (process.env.CORPORA_DIR) collections.push(join(process.env.CORPORA_DIR, "documents"));

for (const folder of collections) {
  const index = join(folder, "index.jsonl");
  if (!existsSync(index)) throw new Error(`${folder} has no index.jsonl`);
  const lines = readFileSync(index, "utf8").trim().split("\n");

  describe.each([dirname(folder)])("documents of %s", () => {
    test.each(
      lines.map((line, number) => {
        const example = JSON.parse(line) as Line;
        return [`${number + 1} ${example.expect}s ${example.file} as ${example.sendAs.filename}`, example] as const;
      }),
    )("%s", async (_, example) => {
      const inspection = await inspectResume(join(dirname(folder), example.file), example.sendAs.filename);
      if (example.expect !== "either") expect(inspection.accepted, example.reason).toBe(example.expect === "accept");
      if (inspection.accepted) expect(inspection.kind).toBe(example.kind.startsWith("dot") ? "docx" : example.kind);
      else expect(inspection.message).toMatch(/\.$/);
    });
  });
}
