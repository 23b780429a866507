// What a request tells about its call beside the input: the request id, the door, the Idempotency-Key. The key is read
// here and nowhere else, and never logged.
import { idempotencyKeyField } from "@submissions/shared/forms/form-fields";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Fault } from "../fault.ts";
import type { Call } from "../intake/call.ts";

/**
 * The call that a request makes.
 *
 * @throws Fault `idempotencyKeyInvalid`
 */
export function callOf(request: FastifyRequest, reply: FastifyReply, door: Call["origin"]["door"]): Call {
  return {
    origin: { door, requestId: request.id },
    idempotencyKey: idempotencyKeyOf(request),
    // Known once the input is read.
    trapped: false,
    solution: null,
    replayed: () => void reply.header("idempotency-replayed", "true"),
  };
}

const idempotencyKeyOf = ({ headers }: FastifyRequest): string | null => checkedKey(headers["idempotency-key"]);

/**
 * The key that a form holds in the header's place; null when it holds none.
 *
 * @throws Fault `idempotencyKeyInvalid`
 */
export function idempotencyKeyOfForm(form: FormData): string | null {
  const [key, ...more] = form.getAll(idempotencyKeyField).map(String);
  return checkedKey(more.length > 0 ? [] : key || undefined);
}

function checkedKey(key: string | readonly string[] | undefined): string | null {
  if (key === undefined) return null;
  if (typeof key !== "string" || !/^[\x20-\x7E]{1,255}$/.test(key)) throw new Fault("idempotencyKeyInvalid");
  return key;
}
