// From a request to the call of a procedure. The Idempotency-Key is read here and nowhere else, and never logged.
import { resumeField } from "@submissions/shared/application-fields";
import { bytesMax, namesMax } from "@submissions/shared/limits";
import { idempotencyKeyField } from "@submissions/shared/further-names";
import type { FastifyRequest } from "fastify";
import { Fault } from "../fault.ts";
import { readHiddenFields, type Call, type Input } from "../intake/call.ts";
import { readFurtherFields } from "../intake/further-fields.ts";
import type { Intake } from "../intake/submit.ts";
import type { Vault } from "../resumes/vault.ts";
import { callProcedure, type Procedure } from "../rpc/procedure.ts";
import type { Door } from "../storage/records.ts";
import type { AwaitTurn } from "./body/body-turns.ts";
import { FormBody, formShapes } from "./body/form-body.ts";
import { MultipartForm } from "./body/multipart.ts";
import type { Guard } from "./gate/guard.ts";
import { isRepeated } from "./headers.ts";
import type { HttpLimits } from "./limits.ts";
import { objectOnly } from "./rpc-wire.ts";

export interface DoorOptions {
  readonly procedures: readonly Procedure[];
  readonly intake: Intake;
  readonly vault: Pick<Vault, "stagingFolder" | "hasRoom">;
  readonly guard: Guard;
  readonly awaitTurn: AwaitTurn;
  readonly limits: HttpLimits;
}

interface ReadBody {
  /** Null: the body is refused. */
  readonly input: Input | null;
  readonly fault?: unknown;
  /** The form that it is, as far as it was read; null: it is none. */
  readonly form: FormBody | null;
  /** See {@link MultipartForm}; absent: no file was staged. */
  readonly unstage?: () => PromiseLike<void>;
}

export const bodyOf = (value: unknown): ReadBody => ({ input: { value, problems: [], resume: null }, form: null });

/** Reads the body of a request. The route has refused other kinds of body before; JSON and URL-encoded forms are parsed. */
export async function readBody(
  request: FastifyRequest,
  { path }: Pick<Procedure, "path">,
  { vault, awaitTurn, limits }: Pick<DoorOptions, "vault" | "awaitTurn" | "limits">,
): Promise<ReadBody> {
  const { body, headers } = request;
  if (body !== undefined && !(body instanceof URLSearchParams)) return bodyOf(body);
  const isShown = request.exchange.page !== null;
  const form = new FormBody(formShapes[path]!, { keyed: isShown });
  try {
    if (body !== undefined) {
      form.addPairs(body);
      return { input: form.input, form };
    }
    if (headers["content-type"] === undefined) throw new Fault("bodyEmpty");
    // Only fields that a page shows again after a refusal are worth reading on for.
    const patienceBytes = isShown ? limits.drainBytesMax : 0;
    const parts = new MultipartForm(request, form, { vault, awaitTurn, patienceBytes });
    return { input: await parts.read(), form, unstage: () => parts.unstage() };
  } catch (fault) {
    // Thrown again by `answerCall`. A page shows with it what was read before.
    return { input: null, fault, form };
  }
}

/** Calls a procedure with a body, and answers its receipt. The call is counted by its code; a refusal where it is answered. */
export async function answerCall(
  { intake, limits }: Pick<DoorOptions, "intake" | "limits">,
  procedure: Procedure,
  by: Door,
  request: FastifyRequest,
  { input, fault, form, unstage }: ReadBody,
): Promise<unknown> {
  if (input === null) throw fault;
  const { observation } = request.exchange;
  const watch = observation.follow(procedure.path);
  try {
    const value = objectOnly(input.value);
    const beside =
      value instanceof FormData ? dropEmptyFile(value) : dropAbsent(value, formShapes[procedure.path]?.texts);
    watch.ended("read");
    const call: Call = {
      ...readHiddenFields(value, intake.languages),
      value,
      problems: input.problems,
      resume: input.resume,
      more: readFurtherFields(procedure.path, input.further ?? beside),
      door: by,
      requestId: request.id,
      key: idempotencyKeyOf(request, form),
      // The time to store begins when the body was read: an upload may take longer to arrive.
      deadline: performance.now() + limits.answerMsMax,
      watch,
    };
    const receipt = await callProcedure(procedure, { intake, call });
    observation.count(procedure.path, by, call.spam ? "SPAM" : "OK");
    return receipt;
  } finally {
    // Not `await using`, which would take 0.7 µs of each call that has nothing to remove.
    if (unstage !== undefined) await unstage();
  }
}

// Removes what many clients write for nothing: texts that are null, a resume that is no file. Answers the other fields.
function dropAbsent(value: object, texts: ReadonlySet<string> = new Set()): [string, unknown][] {
  const input = value as Record<string, unknown>;
  const beside: [string, unknown][] = [];
  const names = Object.keys(input);
  if (names.length > namesMax) throw new Fault("namesTooMany");
  for (const name of names) {
    const one = input[name];
    if (texts.has(name)) {
      if (one === null) delete input[name];
    } else if (name !== resumeField) beside.push([name, one]);
    else if (one === null || isNoFile(one)) delete input[name];
  }
  return beside;
}

function dropEmptyFile(form: FormData): [] {
  if (form.getAll(resumeField).every(isNoFile)) form.delete(resumeField);
  return [];
}

// FormData makes texts of null and undefined where a file was not chosen.
const isNoFile = (value: unknown) => typeof value === "string" && ["", "null", "undefined"].includes(value.trim());

// A browser without script cannot send the header; the form of a page holds the key.
function idempotencyKeyOf({ headers, raw }: FastifyRequest, form: FormBody | null): string | null {
  const sent = headers["idempotency-key"];
  const keys =
    sent === undefined ? (form?.fields.getAll(idempotencyKeyField) ?? []).filter((key) => key !== "") : [sent];
  const [key] = keys;
  if (key === undefined) return null;
  if (keys.length > 1 || isRepeated(raw, "idempotency-key") || !isIdempotencyKey(key)) {
    throw new Fault("idempotencyKeyInvalid");
  }
  return key;
}

export const isIdempotencyKey = (key: unknown): key is string =>
  typeof key === "string" && /^[\x20-\x7E]{1,255}$/.test(key);

/** The largest JSON body of a procedure. A cover letter may be written in escapes of six bytes a letter. */
export const jsonBytesMaxOf = ({ contentTypes }: Procedure): number =>
  contentTypes.includes("multipart/form-data") ? bytesMax.jsonOfApplication : bytesMax.json;
