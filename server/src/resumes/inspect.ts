// Decides by its bytes whether a staged file is a resume: PDF, DOC or DOCX. Each format judges its own files.
import { extensionOf } from "@submissions/shared/file-extension";
import { faults } from "@submissions/shared/faults";
import { bytesMax } from "@submissions/shared/limits";
import { cleanFilename, formFilename } from "./display-name.ts";
import { findDocxFault } from "./formats/docx.ts";
import { findDocFault, isOle } from "./formats/doc.ts";
import { findPdfFault, isPdf } from "./formats/pdf.ts";
import { isZip } from "./formats/zip.ts";
import { StagedBytes } from "./staged-bytes.ts";

type ResumeKind = (typeof formats)[number]["kind"];

/** The judgement. `filename` is for display only; `message` is for the person who sent the file. */
export type Inspection =
  | { readonly accepted: true; readonly kind: ResumeKind; readonly filename: string }
  | { readonly accepted: false; readonly message: string };

/** Whether a file that begins so claims to be of a format, and why it is not, or is not acceptable. */
const formats = [
  { kind: "pdf", claims: isPdf, findFault: findPdfFault },
  { kind: "doc", claims: isOle, findFault: findDocFault },
  { kind: "docx", claims: isZip, findFault: findDocxFault },
] as const;

/** As much as the format that looks farthest wants to see: a PDF header after 1,024 bytes of white space. */
const headBytes = 1_024 + 8;

/**
 * Judges the file at `path`, which its sender called `filename`. Rejects only when the file cannot be read.
 *
 * Work and memory are bounded for every content; of up to 5 MiB, unless more is allowed: a PDF is read at most once, backwards, in blocks of 64 KiB;
 * of a DOC at most 8,192 directory entries and 10,240 links of chains are followed; of a DOCX at most 1,000 entries are
 * listed and 2.5 MiB are inflated. The most held at a time is some 10 MiB.
 */
export const inspectResume = async (
  path: string,
  filename: string,
  bytesLimit: number = bytesMax.resume,
): Promise<Inspection> => {
  await using bytes = await StagedBytes.open(path);
  if (bytes.size > bytesLimit) return refuse(faults.resumeTooLarge.message);
  if (bytes.size === 0) return refuse("The file is empty.");
  const head = await bytes.read(0, headBytes);
  const format = formats.find(({ claims }) => claims(head));
  if (!format) return refuse("Only PDF, DOC or DOCX files are accepted.");
  const name = cleanFilename(formFilename(filename));
  // The bytes first: a message about the name says what the bytes are.
  const fault = (await format.findFault(bytes)) ?? findNameFault(format.kind, name);
  if (fault !== null) return refuse(fault);
  return { accepted: true, kind: format.kind, filename: name === "" ? `resume.${format.kind}` : name };
};

const refuse = (message: string): Inspection => ({ accepted: false, message });

/** What of the name contradicts the bytes. It never quotes the name, and the forms know it in German. */
const findNameFault = (kind: ResumeKind, name: string): string | null => {
  const extension = extensionOf(name);
  if (extension === "" || extension === kind) return null;
  return `The file is a ${kind.toUpperCase()} but its name does not end in .${kind}.`;
};
