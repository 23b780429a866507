// The router's procedures as the doors need them: path, REST address, accepted bodies, and a way to call them through
// tRPC's public adapter API.
import { callTRPCProcedure } from "@trpc/server";
import { z } from "zod";
import { Fault } from "../fault.ts";
import type { Call } from "../intake/call.ts";
import { isTrapped, solutionIn } from "../intake/screening.ts";
import type { CallCounter, Context } from "./context.ts";
import { describeFailure } from "./failure.ts";
import { appRouter } from "./router.ts";
import { procedure, router } from "./trpc.ts";
import type { OpenApiMeta } from "trpc-to-openapi";

/** One procedure, as its router and its `openapi` meta describe it. */
export interface ProcedureEntry {
  /** `marketplace.inquiry` */
  readonly path: string;
  readonly method: string;
  /** `/api/marketplace/inquiry` */
  readonly url: string;
  readonly contentTypes: readonly string[];
  /** What a success looks like. */
  readonly output: z.ZodType;
}

interface Keyed {
  idempotencyKey: string | null;
}

interface ProcedureDefinition {
  readonly _def: { readonly meta?: OpenApiMeta; readonly output?: z.ZodType };
}

/** All procedures that have a REST address. */
export const procedures: readonly ProcedureEntry[] = Object.entries(
  appRouter._def.procedures as unknown as Record<string, ProcedureDefinition>,
).map(([path, { _def }]) => {
  const meta = _def.meta?.openapi;
  // A procedure without these would be reachable by one door only; better not to start.
  if (meta === undefined || _def.output === undefined) throw new Error(`${path} lacks its openapi meta or its output.`);
  return {
    path,
    method: meta.method,
    url: meta.path,
    contentTypes: meta.contentTypes ?? ["application/json"],
    output: _def.output,
  };
});

/**
 * Calls a procedure, screens its input and counts the call, whichever door and batch it came in. Not a middleware of the
 * router, because each level of those costs more than everything else here.
 *
 * @param getRawInput runs when the procedure wants its input, and not if it refuses before; a form may hold the key
 * @param batchIndex the position of the call in its batch
 * @throws Fault `rateLimited` when the call is not among those admitted
 */
export async function callProcedure(
  path: string,
  ctx: Context,
  getRawInput: (call: Keyed) => Promise<unknown>,
  batchIndex = 0,
): Promise<unknown> {
  const call = { ...ctx.call };
  try {
    const { calls, retryAfterSeconds } = ctx.admission;
    if (batchIndex >= calls) throw new Fault("rateLimited", { retryAfterSeconds });
    const receipt: unknown = await callTRPCProcedure({
      router: appRouter,
      path,
      type: "mutation",
      ctx: { ...ctx, call },
      getRawInput: async () => {
        const input = await getRawInput(call);
        call.trapped = isTrapped(input);
        call.solution = solutionIn(input);
        return input;
      },
      signal: undefined,
      batchIndex,
    });
    ctx.count(path, call.origin.door, call.trapped ? "SPAM" : "OK");
    return receipt;
  } catch (error) {
    countRefusal(path, call.origin.door, ctx.count, error);
    throw error;
  }
}

/** Counts a call that was refused before it could be made. */
export function countRefusal(path: string, door: Call["origin"]["door"], count: CallCounter, error: unknown): void {
  const { fault, code } = describeFailure(error);
  // Paths that do not exist are a stranger's words and must not become labels.
  if (fault !== "notFound" && procedures.some((entry) => entry.path === path)) count(path, door, code);
}

/** The same procedures for tRPC's own resolver, which is handed a router: each passes on to {@link callProcedure}. */
export const forwardingRouter = router(
  Object.fromEntries(
    procedures.map(({ path }) => [
      path,
      procedure
        .input(z.unknown())
        .mutation(({ ctx, input, batchIndex }) => callProcedure(path, ctx, async () => input, batchIndex)),
    ]),
  ),
);
