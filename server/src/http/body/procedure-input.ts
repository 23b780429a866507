// Reads what a procedure is called with, whatever kind of body it comes in. Called lazily, when the procedure asks for
// its input: the body of a caller that is refused before is never read.
import type { FastifyRequest } from "fastify";
import { Fault } from "../../fault.ts";
import type { Vault } from "../../resumes/vault.ts";
import { bodyKind, type BodyKind } from "./content-type.ts";
import { FormBody } from "./form-body.ts";
import { MultipartForm } from "./multipart.ts";

interface InputOptions {
  readonly accepted: readonly BodyKind[];
  readonly vault: Pick<Vault, "stagingFolder" | "hasRoom">;
  /** Where a form's fields are gathered, if they are wanted even when the form is refused. */
  readonly form?: FormBody;
  /** See {@link MultipartForm}. */
  readonly patienceBytes?: number;
}

// A disk that is full is seldom emptied within a minute.
const noRoomRetrySeconds = 60;

/** Input of one call. Dispose of it once the call is over. */
export class ProcedureInput implements AsyncDisposable {
  readonly #request: FastifyRequest;
  readonly #kind: BodyKind;
  readonly #options: InputOptions;
  #multipart: MultipartForm | undefined;

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
    if (this.#kind === "multipart/form-data") return this.#readMultipart();
    const { body } = this.#request;
    if (body === undefined) throw new Fault("bodyEmpty");
    if (!(body instanceof URLSearchParams)) return body;
    const { form = new FormBody() } = this.#options;
    form.addPairs(body);
    return form.finish();
  }

  async #readMultipart(): Promise<object> {
    const { vault, form = new FormBody(), patienceBytes = 0 } = this.#options;
    if (!(await vault.hasRoom())) throw new Fault("storageUnavailable", { retryAfterSeconds: noRoomRetrySeconds });
    this.#multipart = new MultipartForm(this.#request, form, { stagingFolder: vault.stagingFolder, patienceBytes });
    return this.#multipart.read();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#multipart?.[Symbol.asyncDispose]();
  }
}
