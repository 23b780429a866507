// From a request to the call of a procedure: a door reads the input, makes the call from it, and then calls. The
// Idempotency-Key is read here and nowhere else, and never logged.
import { resumeField } from "@submissions/shared/application-fields";
import { idempotencyKeyField } from "@submissions/shared/forms/form-fields";
import { bytesMax } from "@submissions/shared/limits";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Fault } from "../fault.ts";
import { readHiddenFields, type Call, type Input } from "../intake/call.ts";
import { readFurtherFields } from "../intake/further-fields.ts";
import type { Intake } from "../intake/submit.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { Vault } from "../resumes/vault.ts";
import { describeFailure } from "../rpc/failure.ts";
import { callProcedure, type ProcedureEntry } from "../rpc/procedure.ts";
import type { Door } from "../storage/records.ts";
import { FormBody, formShapes } from "./body/form-body.ts";
import { MultipartForm, type ReadInput } from "./body/multipart.ts";
import { faultOf } from "./fault-reply.ts";
import type { Guard } from "./gate/guard.ts";
import { linesOf } from "./headers.ts";
import type { HttpLimits } from "./limits.ts";
import { watchCall } from "./observed-requests.ts";

export interface DoorOptions {
  readonly intake: Intake;
  readonly vault: Pick<Vault, "stagingFolder" | "hasRoom">;
  readonly guard: Guard;
  readonly metrics: Pick<Metrics, "submissions" | "stages">;
  readonly limits: HttpLimits;
}

interface Received {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly by: Door;
  /** Where a form's fields are gathered, if they are wanted even when the form is refused. */
  readonly form?: FormBody | null | undefined;
  readonly input?: ReadInput;
}

/**
 * Reads the input of a call, unless that is a call in a batch, then calls the procedure. The result is counted by its code:
 * `OK`, `SPAM` (answered like `OK`), or that of the refusal.
 */
export async function answerCall(door: DoorOptions, entry: ProcedureEntry, received: Received): Promise<unknown> {
  const { request, reply, by, form, input } = received;
  const { submissions } = door.metrics;
  try {
    await using read = input ?? (await readInput(request, door, form));
    const call = callOf(request, reply, door, by, entry.path, read);
    const receipt = await callProcedure(entry, door.intake, call);
    submissions.inc({ procedure: entry.path, door: by, code: call.spam ? "SPAM" : "OK" });
    return receipt;
  } catch (error) {
    countRefusal(door, entry.path, by, error);
    throw error;
  }
}

/** Reads the input of a request. The route has refused other kinds of body before; JSON and URL-encoded forms are parsed. */
export async function readInput(
  request: FastifyRequest,
  { vault, limits }: Pick<DoorOptions, "vault" | "limits">,
  form?: FormBody | null,
): Promise<ReadInput> {
  const { body, headers } = request;
  if (body instanceof URLSearchParams) {
    const fields = form ?? new FormBody();
    fields.addPairs(body);
    return { ...fields.input, ...nothingStaged };
  }
  if (body !== undefined) return inputOf(body);
  if (headers["content-type"] === undefined) throw new Fault("bodyEmpty");
  // Only fields that are wanted after a refusal are worth reading on for.
  const patienceBytes = form ? limits.drainBytesMax : 0;
  return new MultipartForm(request, form ?? new FormBody(), { vault, patienceBytes }).read();
}

export const inputOf = (value: unknown): ReadInput => ({ value, problems: [], resume: null, ...nothingStaged });

const nothingStaged: AsyncDisposable = { [Symbol.asyncDispose]: async () => {} };

/** @throws Fault `bodyNotObject`, `idempotencyKeyInvalid` */
function callOf(
  request: FastifyRequest,
  reply: FastifyReply,
  { metrics, limits }: DoorOptions,
  door: Door,
  procedure: string,
  { value, problems, resume, further }: Input,
): Call {
  const watch = watchCall(metrics, procedure, request, reply);
  const object = objectOnly(value);
  const beside = object instanceof FormData ? dropEmptyFile(object) : dropAbsent(object, formShapes[procedure]?.texts);
  watch.ended("read");
  return {
    ...readHiddenFields(object),
    value: object,
    problems,
    resume,
    more: readFurtherFields(procedure, further ?? beside),
    door,
    requestId: request.id,
    key: idempotencyKeyOf(request),
    // The time to store begins when the body was read: an upload may take longer to arrive.
    deadline: performance.now() + limits.answerMsMax,
    watch,
  };
}

/** @throws Fault `bodyNotObject` for any other JSON value */
export function objectOnly(value: unknown): object {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Fault("bodyNotObject");
  return value;
}

// Removes texts that are null, as many clients write what is not filled in, and a resume that is no file. Answers the other
// fields.
function dropAbsent(value: object, texts: ReadonlySet<string> = new Set()): [string, unknown][] {
  const input = value as Record<string, unknown>;
  const beside: [string, unknown][] = [];
  for (const name of Object.keys(input)) {
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

// A browser without script cannot send the header; its form holds the key.
function idempotencyKeyOf({ headers, raw, page }: FastifyRequest): string | null {
  const key = headers["idempotency-key"];
  // Node joins several lines to one value.
  if (key !== undefined) return checkedKey([key, ...linesOf(raw.rawHeaders, "idempotency-key").slice(1)]);
  return checkedKey(page?.form?.fields.getAll(idempotencyKeyField).filter((value) => value !== "") ?? []);
}

export const isIdempotencyKey = (key: unknown): key is string =>
  typeof key === "string" && /^[\x20-\x7E]{1,255}$/.test(key);

function checkedKey([key, ...more]: readonly unknown[]): string | null {
  if (key === undefined) return null;
  if (more.length > 0 || !isIdempotencyKey(key)) throw new Fault("idempotencyKeyInvalid");
  return key;
}

/** The largest JSON body of a procedure. A cover letter may be written in escapes of six bytes a letter. */
export const jsonBytesMaxOf = ({ contentTypes }: ProcedureEntry): number =>
  contentTypes.includes("multipart/form-data") ? bytesMax.jsonOfApplication : bytesMax.json;

/** Counts a refused call by the code of its refusal. */
export function countRefusal({ metrics }: DoorOptions, procedure: string, door: Door, error: unknown): void {
  metrics.submissions.inc({ procedure, door, code: describeFailure(faultOf(error)).code });
}
