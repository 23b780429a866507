// Tells whether two submissions have the same content: a hash of the parsed fields, not of the bytes, so that the order
// of fields, white space and multipart boundaries make no difference.
import { createHash } from "node:crypto";
import { emailKey } from "@submissions/shared/fields";
import { StagedUpload } from "../resumes/staged-upload.ts";

/** SHA-256 of parsed input, lower-case hexadecimal. A file counts by its own SHA-256 and not by its name. */
export function fingerprint(input: object): string {
  const fields = Object.entries(input as Readonly<Record<string, unknown>>)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, meaningOf(name, value)])
    .toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1));
  return createHash("sha256").update(JSON.stringify(fields)).digest("hex");
}

function meaningOf(name: string, value: unknown): unknown {
  if (value instanceof StagedUpload) return value.staged.sha256;
  return name === "email" && typeof value === "string" ? emailKey(value) : value;
}
