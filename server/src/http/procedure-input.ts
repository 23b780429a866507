// Reads what a procedure is called with, whatever kind of body it comes in. Called lazily, when the procedure asks for
// its input: a caller who is refused before that never has the body read.
import type { FastifyRequest } from "fastify";
import { Fault } from "../fault.ts";
import { bodyKind, type BodyKind } from "./content-type.ts";
import { urlencodedForm } from "./form-body.ts";
import { readMultipart } from "./multipart.ts";

/** Input of one call, and what must be cleaned up once the call is over. */
export class ProcedureInput implements AsyncDisposable {
  readonly #request: FastifyRequest;
  readonly #kind: BodyKind;
  readonly #stagingFolder: string;
  #read: AsyncDisposable | undefined;

  /** @throws Fault `bodyEmpty`, `contentTypeUnsupported` */
  constructor(request: FastifyRequest, accepted: readonly BodyKind[], stagingFolder: string) {
    if (request.headers["content-type"] === undefined && request.body === undefined) throw new Fault("bodyEmpty");
    this.#request = request;
    this.#kind = bodyKind(request.headers, accepted);
    this.#stagingFolder = stagingFolder;
  }

  /**
   * The input: a JSON value, or FormData of known fields.
   *
   * @throws Fault as the table says of bodies and forms
   */
  async read(): Promise<unknown> {
    if (this.#kind === "multipart/form-data") {
      const read = await readMultipart(this.#request, this.#stagingFolder);
      this.#read = read;
      return read.form;
    }
    const { body } = this.#request;
    if (body === undefined) throw new Fault("bodyEmpty");
    return body instanceof URLSearchParams ? urlencodedForm(body) : objectOnly(body);
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
