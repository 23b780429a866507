// Writes a job application as a multipart form with its file. It checks nothing; the service does.
import type { Application } from "./submissions.ts";

// Without an extension: the service judges the bytes, and a guessed extension could contradict them.
const filenameDefault = "resume";
/** An empty file with one of these names is "no file chosen": the second is Next.js's for it in a server action. */
const namesOfNoFile = ["", "undefined"];

/**
 * The form of an application, made from its fields or from a form. Blank, undefined and null fields are left out, objects and lists too, and so
 * is the empty file that stands for "no file chosen": undici would send it as text.
 *
 * @param resumeFilename the name of the resume; by default a file's own name
 */
export function applicationForm(application: Application | FormData, resumeFilename?: string): FormData {
  const form = new FormData();
  // Programs without types also pass null, numbers and booleans.
  const fields: Iterable<[string, string | Blob | number | boolean | null | undefined]> =
    application instanceof FormData ? application.entries() : Object.entries({ ...application });
  for (const [name, value] of fields) {
    if (value instanceof Blob) {
      // Bun's forms hold blobs that have the name of their file, or none.
      const { name: filename = application instanceof FormData ? "" : filenameDefault } = value as Partial<File>;
      const chosen = value.size > 0 || !namesOfNoFile.includes(filename);
      if (chosen) form.append(name, value, resumeFilename ?? (filename || filenameDefault));
    } else if (typeof value !== "object" && String(value ?? "").trim()) form.append(name, String(value));
  }
  return form;
}
