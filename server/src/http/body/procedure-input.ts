// Reads what a procedure is called with, whatever kind of body it comes in. Called lazily, when the procedure asks for
// its input: a caller who is refused before that never has the body read.
import type { FastifyRequest } from "fastify";
import { Fault } from "../../fault.ts";
import { bodyKind, type BodyKind } from "./content-type.ts";
import { FormBody } from "./form-body.ts";
import { readMultipart } from "./multipart.ts";

interface InputOptions {
  readonly accepted: readonly BodyKind[];
  readonly stagingFolder: string;
  /** What a form's fields are gathered in, for who wants to see them even if the form is refused. */
  readonly form?: FormBody;
}

/** Input of one call, and what must be cleaned up once the call is over. */
export class ProcedureInput implements AsyncDisposable {
  readonly #request: FastifyRequest;
  readonly #kind: BodyKind;
  readonly #options: InputOptions;
  #read: AsyncDisposable | undefined;

  /** @throws Fault `bodyEmpty`, `contentTypeUnsupported` */
  constructor(request: FastifyRequest, options: InputOptions) {
    if (request.headers["content-type"] === undefined && request.body === undefined) throw new Fault("bodyEmpty");
    this.#request = request;
    this.#kind = bodyKind(request.headers, options.accepted);
    this.#options = options;
  }

  /**
   * The input: a JSON value, or what a form holds.
   *
   * @throws Fault as the table says of bodies and forms
   */
  async read(): Promise<unknown> {
    const { form = new FormBody(), stagingFolder } = this.#options;
    if (this.#kind === "multipart/form-data") {
      // A form that somebody wants to see in any case is worth some patience.
      const patient = this.#options.form !== undefined;
      const read = await readMultipart(this.#request, form, { stagingFolder, patient });
      this.#read = read;
      return read.input;
    }
    const { body } = this.#request;
    if (body === undefined) throw new Fault("bodyEmpty");
    if (!(body instanceof URLSearchParams)) return objectOnly(body);
    form.addPairs(body);
    return form.finish();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#read?.[Symbol.asyncDispose]();
  }
}

/** @throws Fault `bodyNotObject` for any other JSON value */
export function objectOnly(value: unknown): object {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Fault("bodyNotObject");
  return value;
}
