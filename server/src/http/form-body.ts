// Gathers the fields of a form, from multipart parts or URL-encoded pairs, into FormData that holds nothing but known
// names: the names are a stranger's, and zod-form-data builds paths from them.
import { applicationInput, applicationTextFields, resumeField } from "@submissions/shared/applications";
import type { Issue } from "@submissions/shared/faults";
import { honeypotField } from "@submissions/shared/honeypot";
import { Fault } from "../fault.ts";
import { issuesOf } from "../rpc/failure.ts";
import type { StagedUpload } from "../resumes/staged-upload.ts";

/** Text fields that a form may hold: ours, and as many hidden ones of whatever page posted it. */
export const textFieldsMax = 2 * applicationTextFields.length;

const textNames = new Set([...applicationTextFields, honeypotField]);

/** A form being gathered. */
export class FormBody {
  readonly #form = new FormData();
  readonly #issues: Issue[] = [];
  #textFields = 0;

  addText(name: string, value: unknown): void {
    this.#textFields += 1;
    if (this.#textFields > textFieldsMax) throw new Fault("fieldTooLarge");
    // A blank in the file's place is how some clients send an input with no file chosen; any other text there is added,
    // and the schema says what is wrong with it.
    if (name === resumeField ? value === "" : !textNames.has(name)) return;
    // U+FFFD is what a decoder writes where the bytes were not text; keeping it would store a loss silently. Values
    // that are no strings come from parts that call themselves JSON.
    if (typeof value !== "string" || value.includes("\uFFFD")) throw new Fault("bodyMalformed");
    this.#form.append(name, value);
  }

  addResume(upload: StagedUpload): void {
    this.#form.append(resumeField, upload);
  }

  /** Notes a problem that the schema cannot see. */
  refuse(name: string, message: string): void {
    this.#issues.push({ path: [name], message });
  }

  /** @throws Fault `fieldsInvalid` with every problem of the form when anything was refused */
  finish(): FormData {
    if (this.#issues.length === 0) return this.#form;
    const parsed = applicationInput.safeParse(this.#form);
    const ofSchema = parsed.success ? [] : issuesOf(parsed.error);
    throw new Fault("fieldsInvalid", { issues: [...ofSchema, ...this.#issues] });
  }
}

/** The form in a URL-encoded body. */
export function urlencodedForm(pairs: URLSearchParams): FormData {
  const body = new FormBody();
  for (const [name, value] of pairs) body.addText(name, value);
  return body.finish();
}
