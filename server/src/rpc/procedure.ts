// How the procedures of the router run: admission, hidden fields, schema, resolver, schema of the receipt, count. There are
// two forms. The stock form is a chain of tRPC's middlewares, of which each costs about 7 µs. The quick form runs schemas
// and resolver itself, through tRPC's public but experimental `experimental_caller`; the version of tRPC is pinned, and
// test/rpc/both-forms.test.ts compares them over many inputs.
import type { FaultCode, Issue } from "@submissions/shared/faults";
import { type AnyTRPCProcedure, initTRPC } from "@trpc/server";
import type { OpenApiMeta } from "trpc-to-openapi";
import { ZodError, type z } from "zod";
import { Fault } from "../fault.ts";
import { readHiddenFields, type Call, type CallWatch } from "../intake/call.ts";
import type { Intake } from "../intake/intake.ts";
import type { Door } from "../storage/records.ts";
import { describeFailure, errorShape, inputRefused } from "./failure.ts";

/** Counts a call of a procedure: `OK`, `SPAM` (answered like `OK`) or the code of its refusal. */
export type CallCounter = (procedure: string, door: Door, code: "OK" | "SPAM" | FaultCode) => void;

/** How many calls of a request may pass: the first ones of a batch. */
export interface Admission {
  readonly calls: number;
  /** When the others may be tried again. */
  readonly retryAfterSeconds: number;
}

/** What a call knows beside its input. The doors make one for each request. */
export interface Context {
  readonly intake: Intake;
  readonly door: Door;
  readonly requestId: string;
  /**
   * Reads the Idempotency-Key. Called after the input was read, because a form may hold the key.
   *
   * @throws Fault `idempotencyKeyInvalid`
   */
  readonly key: () => string | null;
  /** How long storing may take once the input was read, in milliseconds: the connection is cut some time later. */
  readonly answerMsMax: number;
  readonly admission: Admission;
  readonly count: CallCounter;
  readonly watch: (procedure: string) => CallWatch;
  /** Told when the answer is that of an earlier call with the same key. */
  readonly replayed: () => void;
}

export interface Meta extends OpenApiMeta {
  /** Problems of raw input that its schema cannot see. They are reported together with the schema's. */
  readonly alsoWrong?: (intake: Intake, raw: object) => readonly Issue[];
}

export const trpc = initTRPC
  .context<Context>()
  .meta<Meta>()
  .create({
    // Never true: it would send stacks to callers.
    isDev: false,
    errorFormatter: ({ error, path, ctx }) => errorShape(error, path, ctx?.requestId ?? ""),
  });

/** The form that tests compare the quick one with. */
export const stockProcedure = trpc.procedure.use(({ meta, next, ...called }) =>
  answering(called, async (call, raw) => {
    const result = await next({ ctx: { call } });
    if (result.ok) return result;
    const { code, cause } = result.error;
    // Any other code means that a schema refused a receipt.
    const isInput = code === "BAD_REQUEST" && cause instanceof ZodError;
    throw isInput ? inputRefused(cause, meta?.alsoWrong?.(called.ctx.intake, raw)) : (cause ?? result.error);
  }),
);

/** What procedures are built with. The casts keep their types: tRPC's own would make plain functions of them. */
export const procedure = stockProcedure.experimental_caller(({ args, _def }) => {
  const { inputs, output, meta, resolver } = _def as unknown as Definition;
  const called = args[0] as Called;
  return answering(called, async (call, raw) => {
    const { ctx } = called;
    const parsed = inputs[0].safeParse(raw);
    if (!parsed.success) throw inputRefused(parsed.error, meta.alsoWrong?.(ctx.intake, raw));
    return output.parse(await resolver({ ctx: { ...ctx, call }, input: parsed.data }));
  });
}) as unknown as typeof stockProcedure;

interface Definition {
  readonly inputs: readonly [z.ZodType];
  readonly output: z.ZodType;
  readonly meta: Meta;
  readonly resolver: (options: { ctx: Context & { readonly call: Call }; input: unknown }) => Promise<unknown>;
}

type Called = Pick<Parameters<AnyTRPCProcedure>[0], "path" | "batchIndex" | "getRawInput"> & { readonly ctx: Context };

// What both forms do around the schemas and the call.
async function answering<Answer>(
  { ctx, path, batchIndex, getRawInput }: Called,
  answer: (call: Call, raw: object) => Promise<Answer>,
): Promise<Answer> {
  try {
    const { calls, retryAfterSeconds } = ctx.admission;
    if (batchIndex >= calls) throw new Fault("rateLimited", { retryAfterSeconds });
    const watch = ctx.watch(path);
    const raw = objectOnly(await getRawInput());
    watch.ended("read");
    const call = callOf(ctx, raw, watch);
    const answered = await answer(call, raw);
    ctx.count(path, ctx.door, call.spam ? "SPAM" : "OK");
    return answered;
  } catch (error) {
    countRefusal(ctx, path, error);
    throw error;
  }
}

/** @throws Fault `bodyNotObject` for any other JSON value */
export function objectOnly(value: unknown): object {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Fault("bodyNotObject");
  return value;
}

// The time to store begins when the body was read: an upload may take longer to arrive.
const callOf = ({ door, requestId, key, answerMsMax, replayed }: Context, raw: object, watch: CallWatch): Call => ({
  ...readHiddenFields(raw),
  door,
  requestId,
  key: key(),
  deadline: performance.now() + answerMsMax,
  replayed,
  watch,
});

/** Counts a call of a known procedure that was refused. */
export const countRefusal = ({ count, door }: Pick<Context, "count" | "door">, path: string, error: unknown): void =>
  count(path, door, describeFailure(error).code);
