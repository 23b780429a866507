// How the procedures of the router run: admission, hidden fields, schema, resolver, schema of the receipt, count. It is
// written twice. The stock form is a chain of tRPC's middlewares, of which each costs about 7 µs. The quick form does the
// same in one function, through tRPC's public but experimental `experimental_caller`; the version of tRPC is pinned, and
// test/rpc/both-forms.test.ts compares them over many inputs.
import type { Issue } from "@submissions/shared/faults";
import { type AnyTRPCProcedure, initTRPC } from "@trpc/server";
import type { OpenApiMeta } from "trpc-to-openapi";
import { ZodError, type z } from "zod";
import { Fault } from "../fault.ts";
import { readHiddenFields, type Call, type CallWatch } from "../intake/call.ts";
import type { Intake } from "../intake/intake.ts";
import type { Context } from "./context.ts";
import { describeFailure, errorShape, inputRefused } from "./failure.ts";

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
export const stockProcedure = trpc.procedure.use(async ({ ctx, path, batchIndex, getRawInput, meta, next }) => {
  try {
    admit(ctx, batchIndex);
    const watch = ctx.watch(path);
    const raw = objectOnly(await getRawInput());
    watch.ended("read");
    const call = callOf(ctx, raw, watch);
    const result = await next({ ctx: { call } });
    if (!result.ok) {
      const { code, cause } = result.error;
      // Any other code means that a schema refused a receipt.
      const isInput = code === "BAD_REQUEST" && cause instanceof ZodError;
      throw isInput ? inputRefused(cause, meta?.alsoWrong?.(ctx.intake, raw)) : (cause ?? result.error);
    }
    ctx.count(path, ctx.door, call.spam ? "SPAM" : "OK");
    return result;
  } catch (error) {
    countRefusal(ctx, path, error);
    throw error;
  }
});

/** What procedures are built with. The cast keeps their types: tRPC's own would make plain functions of them. */
export const procedure = stockProcedure.experimental_caller(({ args, _def }) =>
  run(_def as unknown as Definition, args[0] as Parameters<AnyTRPCProcedure>[0] & { ctx: Context }),
) as unknown as typeof stockProcedure;

interface Definition {
  readonly inputs: readonly [z.ZodType];
  readonly output: z.ZodType;
  readonly meta: Meta;
  readonly resolver: (options: { ctx: Context & { readonly call: Call }; input: unknown }) => Promise<unknown>;
}

async function run(
  { inputs: [schema], output, meta, resolver }: Definition,
  { ctx, path, batchIndex, getRawInput }: Parameters<AnyTRPCProcedure>[0] & { ctx: Context },
): Promise<unknown> {
  try {
    admit(ctx, batchIndex);
    const watch = ctx.watch(path);
    const raw = objectOnly(await getRawInput());
    watch.ended("read");
    const call = callOf(ctx, raw, watch);
    const parsed = schema.safeParse(raw);
    if (!parsed.success) throw inputRefused(parsed.error, meta.alsoWrong?.(ctx.intake, raw));
    const receipt = output.parse(await resolver({ ctx: { ...ctx, call }, input: parsed.data }));
    ctx.count(path, ctx.door, call.spam ? "SPAM" : "OK");
    return receipt;
  } catch (error) {
    countRefusal(ctx, path, error);
    throw error;
  }
}

function admit({ admission: { calls, retryAfterSeconds } }: Context, batchIndex: number): void {
  if (batchIndex >= calls) throw new Fault("rateLimited", { retryAfterSeconds });
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
