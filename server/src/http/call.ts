// What a request holds of its calls: their context and their input, whatever kind of body it comes in. The
// Idempotency-Key is read here and nowhere else, and never logged.
import { idempotencyKeyField } from "@submissions/shared/forms/form-fields";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Fault } from "../fault.ts";
import type { CallWatch } from "../intake/call.ts";
import type { Intake } from "../intake/intake.ts";
import type { Vault } from "../resumes/vault.ts";
import type { CallCounter, Context } from "../rpc/procedure.ts";
import { FormBody } from "./body/form-body.ts";
import { MultipartForm } from "./body/multipart.ts";
import type { Guard } from "./gate/guard.ts";
import { linesOf } from "./headers.ts";
import type { HttpLimits } from "./limits.ts";

/** What both doors are made with. */
export interface DoorOptions {
  readonly intake: Intake;
  readonly vault: Pick<Vault, "stagingFolder" | "hasRoom">;
  readonly guard: Guard;
  readonly count: CallCounter;
  readonly watch: (procedure: string, request: FastifyRequest, reply: FastifyReply) => CallWatch;
  readonly limits: HttpLimits;
}

export const contextOf = (
  request: FastifyRequest,
  reply: FastifyReply,
  { intake, count, watch, limits }: DoorOptions,
  door: Context["door"],
): Context => ({
  intake,
  door,
  requestId: request.id,
  key: () => idempotencyKeyOf(request),
  answerMsMax: limits.answerMsMax,
  admission: request.admission,
  count,
  watch: (procedure) => watch(procedure, request, reply),
  replayed: () => void reply.header("idempotency-replayed", "true"),
});

// A browser without script cannot send the header; its form holds the key.
function idempotencyKeyOf({ headers, raw, page }: FastifyRequest): string | null {
  const key = headers["idempotency-key"];
  // Node joins several lines to one value.
  if (key !== undefined) return checkedKey([key, ...linesOf(raw.rawHeaders, "idempotency-key").slice(1)]);
  return checkedKey(page?.fields?.getAll(idempotencyKeyField).filter((value) => value !== "") ?? []);
}

function checkedKey([key, ...more]: readonly unknown[]): string | null {
  if (key === undefined) return null;
  if (more.length > 0 || typeof key !== "string" || !/^[\x20-\x7E]{1,255}$/.test(key)) {
    throw new Fault("idempotencyKeyInvalid");
  }
  return key;
}

/** Reads an input: a JSON value, or what a form holds. Rejects with a Fault as the table says of bodies and forms. */
type Read = () => Promise<unknown>;

/**
 * Calls with the input of a request. A multipart body is read when the procedure asks for its input: that of a caller that
 * is refused before is never read. What the request left in the staging folder is gone when this resolves. The route has
 * refused other kinds of bodies before ({@link acceptBodies}).
 *
 * @param form where a form's fields are gathered, if they are wanted even when the form is refused
 * @throws Fault `bodyEmpty`
 */
export async function withInput<T>(
  request: FastifyRequest,
  { vault, limits }: Pick<DoorOptions, "vault" | "limits">,
  form: FormBody | undefined,
  call: (read: Read) => Promise<T>,
): Promise<T> {
  const { body, headers } = request;
  if (body !== undefined) return call(async () => wholeInput(body, form));
  if (headers["content-type"] === undefined) throw new Fault("bodyEmpty");
  // Only fields that are wanted after a refusal are worth reading on for.
  const patienceBytes = form === undefined ? 0 : limits.drainBytesMax;
  await using multipart = new MultipartForm(request, form ?? new FormBody(), { vault, patienceBytes });
  return await call(() => multipart.read());
}

function wholeInput(body: unknown, given: FormBody | undefined): unknown {
  if (!(body instanceof URLSearchParams)) return body;
  const form = given ?? new FormBody();
  form.addPairs(body);
  return form.finish();
}
