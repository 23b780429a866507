// The router's procedures as the doors need them: path, REST address, accepted bodies, and a way to call them through
// tRPC's public adapter API.
import { callTRPCProcedure } from "@trpc/server";
import type { z } from "zod";
import type { Context } from "./context.ts";
import { describeFailure } from "./failure.ts";
import { appRouter } from "./router.ts";
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
 * Calls a procedure and counts the call, whichever door and batch it came in. Not a middleware of the router, because
 * each level of those costs more than everything else here.
 *
 * @param getRawInput runs when the procedure wants its input, and not if it refuses before
 */
export async function callProcedure(path: string, ctx: Context, getRawInput: () => Promise<unknown>): Promise<unknown> {
  try {
    const call = {
      router: appRouter,
      path,
      type: "mutation",
      ctx,
      getRawInput,
      signal: undefined,
      batchIndex: 0,
    } as const;
    const receipt: unknown = await callTRPCProcedure(call);
    ctx.count(path, ctx.call.origin.door, "OK");
    return receipt;
  } catch (error) {
    const { fault, code } = describeFailure(error);
    // Paths that do not exist are a stranger's words and must not become labels.
    if (fault !== "notFound") ctx.count(path, ctx.call.origin.door, code);
    throw error;
  }
}
