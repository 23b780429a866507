// What a request says of its calls beside their input. The Idempotency-Key is read here and nowhere else, and never
// logged.
import { idempotencyKeyField } from "@submissions/shared/forms/form-fields";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Fault } from "../fault.ts";
import type { CallWatch } from "../intake/call.ts";
import type { Intake } from "../intake/intake.ts";
import type { Vault } from "../resumes/vault.ts";
import type { CallCounter, Context } from "../rpc/procedure.ts";
import type { Guard } from "./gate/guard.ts";
import { linesOf } from "./headers.ts";
import type { HttpLimits } from "./limits.ts";

/** What both doors are made with. */
export interface DoorOptions {
  readonly intake: Intake;
  readonly vault: Pick<Vault, "stagingFolder" | "hasRoom">;
  readonly guard: Guard;
  readonly count: CallCounter;
  /** Begins to watch a call of a procedure in a request. */
  readonly watch: (procedure: string, request: FastifyRequest, reply: FastifyReply) => CallWatch;
  readonly limits: HttpLimits;
}

/** The context of the calls in a request. */
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
