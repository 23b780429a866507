// What each generated client sends, and how it says what came of it.
import { openAsBlob } from "node:fs";

const [, , address = "", file = ""] = process.argv;

export const url = address;
export const applicant = { fullName: "Ana Souza", email: "ana@example.org", position: "Accent annotator" };
export const resume = new File([await openAsBlob(file)], "ana.pdf", { type: "application/pdf" });

export function say(reference: string | undefined, error: unknown): void {
  if (reference === undefined) throw new Error(JSON.stringify(error));
  console.log(reference);
}
