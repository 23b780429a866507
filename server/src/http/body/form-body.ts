// Gathers the fields of a form, from multipart parts or URL-encoded pairs, into FormData that holds nothing but known
// names: the names are a stranger's, and zod-form-data builds paths from them. Further fields are set aside before it.
import { positionField, resumeField } from "@submissions/shared/application-fields";
import { fieldOfKind } from "@submissions/shared/field-table";
import type { FaultName } from "@submissions/shared/faults";
import { packageIdsOf } from "@submissions/shared/forms/form-fields";
import { hiddenFields, idempotencyKeyField, isFurtherName } from "@submissions/shared/further-names";
import { otherPosition, otherPositionField } from "@submissions/shared/hidden-fields";
import { type Kind, kindOf, submissionKinds } from "@submissions/shared/kinds";
import { bytesMax, namesMax, textLengthMax } from "@submissions/shared/limits";
import { subscribeInput } from "@submissions/shared/subscription";
import { rawLengthFactor } from "@submissions/shared/text";
import { Fault } from "../../fault.ts";
import type { Input, Problem } from "../../intake/call.ts";
import type { StagedResume } from "../../resumes/vault.ts";

interface FormShape {
  readonly texts: ReadonlySet<string>;
  /** One of them that may come many times, as ticked boxes do. */
  readonly list?: string;
  valueOf(form: FormData): object;
}

function shapeOf({ fields }: Kind): FormShape {
  const texts = new Set(Object.keys(fields).filter((name) => fields[name]?.kind !== "file"));
  const list = fieldOfKind(fields, "packages");
  if (list !== undefined) {
    const valueOf = (form: FormData) => ({ ...plain(form), [list]: packageIdsOf(form.getAll(list).map(String)) });
    return { texts, list, valueOf };
  }
  // The schema of a kind with a file reads forms itself.
  return { texts, valueOf: fieldOfKind(fields, "file") === undefined ? plain : (form) => form };
}

export const formShapes: Readonly<Record<string, FormShape>> = {
  ...Object.fromEntries(submissionKinds.map(kindOf).map((kind) => [kind.procedure, shapeOf(kind)])),
  "newsletter.subscribe": { texts: new Set(Object.keys(subscribeInput.shape)), valueOf: plain },
};

// A field that was sent twice becomes a list, which the schemas refuse by name.
function plain(form: FormData): Record<string, unknown> {
  const names = new Set(form.keys());
  return Object.fromEntries(
    [...names].map((name) => {
      const [value, ...more] = form.getAll(name);
      return [name, more.length === 0 ? value : [value, ...more]];
    }),
  );
}

/** Longer texts are not kept as further fields whatever they hold: four bytes for each code unit that is read. */
const furtherBytesMax = 4 * rawLengthFactor * textLengthMax.furtherValue;

/** Entries of the one field that may come many times: far more than a catalogue shows. */
export const listEntriesMax = 1_000;

export class FormBody {
  readonly #shape: FormShape;
  readonly #names: ReadonlySet<string>;
  readonly fields = new FormData();
  readonly further: [string, unknown][] = [];
  readonly #problems: Problem[] = [];
  resume: StagedResume | null = null;
  #textFields = 0;
  #listEntries = 0;
  textBytes = 0;

  /** @param keyed whether the form may hold its idempotency key: pages cannot send the header */
  constructor(shape: FormShape, { keyed } = { keyed: false }) {
    this.#shape = shape;
    this.#names = new Set([
      ...shape.texts,
      ...hiddenFields,
      ...(keyed ? [idempotencyKeyField, otherPositionField] : []),
    ]);
  }

  // `read` is called for a field that the form has, and answers a string, unless the part calls itself JSON.
  /** @throws Fault `namesTooMany`, `fieldTooLarge`, `bodyMalformed`, `bodyTooLarge` for too much text in all */
  addText(name: string, bytes: number, read: () => unknown): void {
    if (name === this.#shape.list) this.#listEntries += 1;
    else this.#textFields += 1;
    if (this.#textFields > namesMax || this.#listEntries > listEntriesMax) throw new Fault("namesTooMany");
    this.textBytes += bytes;
    if (this.textBytes > bytesMax.urlencodedForm) throw new Fault("bodyTooLarge");
    if (!this.has(name)) {
      if (isFurtherName(name) && bytes <= furtherBytesMax) this.further.push([name, readable(read)]);
      return;
    }
    if (bytes > bytesMax.formField) throw fieldTooLong(name);
    const value = read();
    if (value === null) return;
    // A hidden field is never refused for its kind: the refusal would give the honeypot away.
    const isHidden = name !== resumeField && !this.#shape.texts.has(name);
    if (typeof value !== "string" && !isHidden) return this.addProblem(name, "This field must be one text.");
    const text = typeof value === "string" ? value : JSON.stringify(value);
    // FormData would put U+FFFD for half of a surrogate pair, which JSON can write.
    if (!text.isWellFormed()) throw new Fault("bodyMalformed");
    if (name !== otherPositionField) this.fields.append(name, text);
    else if (this.fields.get(positionField) === otherPosition) this.fields.set(positionField, text);
  }

  /** A text in the file's place is added as well, and the schema says what is wrong with it. */
  has(name: string): boolean {
    return name === resumeField || this.#names.has(name);
  }

  addPairs(pairs: URLSearchParams): void {
    for (const [name, value] of pairs) this.addText(name, Buffer.byteLength(value), () => value);
  }

  addProblem(name: string, message: string, fault: FaultName = "fieldsInvalid"): void {
    this.#problems.push({ path: [name], message, fault });
  }

  get input(): Input {
    const value = this.#shape.valueOf(this.fields);
    return { value, problems: this.#problems, resume: this.resume, further: this.further };
  }
}

/** The fault of a text of a field that the form has. */
export const fieldTooLong = (name: string): Fault =>
  new Fault("fieldTooLarge", { issues: [{ path: [name], message: "This field is too long." }] });

/** The value of a field that is never refused; undefined where it cannot be read. */
function readable(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    if (error instanceof Fault || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
