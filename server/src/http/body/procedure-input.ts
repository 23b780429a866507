// Reads what a procedure is called with, whatever kind of body it comes in. The body is read when the procedure asks for
// its input: that of a caller that is refused before is never read.
import type { FastifyRequest } from "fastify";
import { Fault } from "../../fault.ts";
import type { Vault } from "../../resumes/vault.ts";
import { bodyKind, type BodyKind } from "./content-type.ts";
import { FormBody } from "./form-body.ts";
import { MultipartForm } from "./multipart.ts";

export interface InputOptions {
  readonly accepted: readonly BodyKind[];
  readonly vault: Pick<Vault, "stagingFolder" | "hasRoom">;
  /** Where a form's fields are gathered, if they are wanted even when the form is refused. */
  readonly form?: FormBody;
  /** See {@link MultipartForm}. */
  readonly patienceBytes?: number;
}

/** Reads an input: a JSON value, or what a form holds. Rejects with a Fault as the table says of bodies and forms. */
type Read = () => Promise<unknown>;

/**
 * Calls with the input of a request. What the request left in the staging folder is gone when this resolves.
 *
 * @throws Fault `bodyEmpty`, `contentTypeUnsupported`
 */
export async function withInput<T>(
  request: FastifyRequest,
  options: InputOptions,
  call: (read: Read) => Promise<T>,
): Promise<T> {
  const { body, headers } = request;
  if (headers["content-type"] === undefined && body === undefined) throw new Fault("bodyEmpty");
  const { accepted, vault, patienceBytes = 0 } = options;
  if (bodyKind(headers, accepted) !== "multipart/form-data") return call(async () => wholeInput(body, options.form));
  const form = options.form ?? new FormBody();
  await using multipart = new MultipartForm(request, form, { vault, patienceBytes });
  return await call(() => multipart.read());
}

function wholeInput(body: unknown, given: FormBody | undefined): unknown {
  if (body === undefined) throw new Fault("bodyEmpty");
  if (!(body instanceof URLSearchParams)) return body;
  const form = given ?? new FormBody();
  form.addPairs(body);
  return form.finish();
}
