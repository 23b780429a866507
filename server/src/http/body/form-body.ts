// Gathers the fields of a form, from multipart parts or URL-encoded pairs, into FormData that holds nothing but known
// names: the names are a stranger's, and zod-form-data builds paths from them.
import { altchaField } from "@submissions/shared/altcha";
import { resumeField } from "@submissions/shared/application";
import type { Issue } from "@submissions/shared/faults";
import { idempotencyKeyField } from "@submissions/shared/forms/form-fields";
import { honeypotField } from "@submissions/shared/honeypot";
import { Fault } from "../../fault.ts";
import { issuesOf } from "../../rpc/failure.ts";
import type { StagedUpload } from "../../resumes/staged-upload.ts";
import { applicationForm, type FormShape } from "./form-shapes.ts";

/** Text fields that a form may hold: those of the largest, and as many hidden ones of whatever page posted it. */
export const textFieldsMax = 2 * applicationForm.texts.length;

interface FormOptions {
  /** Whether the form may hold its idempotency key: where no program is that could send the header. */
  readonly keyed: boolean;
}

/** A form being gathered. */
export class FormBody {
  readonly #shape: FormShape;
  readonly #names: ReadonlySet<string>;
  readonly #form = new FormData();
  readonly #issues: Issue[] = [];
  #textFields = 0;

  constructor(shape: FormShape = applicationForm, { keyed }: FormOptions = { keyed: false }) {
    this.#shape = shape;
    this.#names = new Set([...shape.texts, honeypotField, altchaField, ...(keyed ? [idempotencyKeyField] : [])]);
  }

  addText(name: string, value: unknown): void {
    // Of the one that may be repeated there are as many as the body has room for.
    if (name !== this.#shape.list) this.#textFields += 1;
    if (this.#textFields > textFieldsMax) throw new Fault("fieldTooLarge");
    // A blank in the file's place is how some clients send an input with no file chosen; any other text there is added,
    // and the schema says what is wrong with it.
    if (name === resumeField ? value === "" : !this.#names.has(name)) return;
    // U+FFFD is what a decoder writes where the bytes were not text; keeping it would store a loss silently. Values
    // that are no strings come from parts that call themselves JSON.
    if (typeof value !== "string" || value.includes("\uFFFD")) throw new Fault("bodyMalformed");
    this.#form.append(name, value);
  }

  addPairs(pairs: URLSearchParams): void {
    for (const [name, value] of pairs) this.addText(name, value);
  }

  addResume(upload: StagedUpload): void {
    this.#form.append(resumeField, upload);
  }

  /** Notes a problem that the schema cannot see. */
  refuse(name: string, message: string): void {
    this.#issues.push({ path: [name], message });
  }

  /** What came so far. */
  get fields(): FormData {
    return this.#form;
  }

  /**
   * The input of the procedure.
   *
   * @throws Fault `fieldsInvalid` with every problem of the form when anything was refused
   */
  finish(): object {
    const input = this.#shape.inputOf(this.#form);
    if (this.#issues.length === 0) return input;
    const parsed = this.#shape.schema.safeParse(input);
    const ofSchema = parsed.success ? [] : issuesOf(parsed.error);
    throw new Fault("fieldsInvalid", { issues: [...ofSchema, ...this.#issues] });
  }
}
