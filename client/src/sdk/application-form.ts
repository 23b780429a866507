// Writes a job application as a multipart form with its file. It checks nothing; the service does.
import type { Application } from "./submissions.ts";

// Without an extension: the service judges the bytes, and a guessed extension could contradict them.
const filenameDefault = "resume";

/**
 * The form of an application, made from its fields or from a form. Blank, undefined and null fields are left out, and so
 * is the empty file without a name that stands for "no file chosen": undici would send it as text.
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
      const filename = value instanceof File ? value.name : filenameDefault;
      const chosen = filename !== "" || value.size > 0;
      if (chosen) form.append(name, value, resumeFilename ?? (filename || filenameDefault));
    } else if (String(value ?? "").trim()) form.append(name, String(value));
  }
  return form;
}
