// The tRPC instance: what procedures are built with.
import { initTRPC } from "@trpc/server";
import type { OpenApiMeta } from "trpc-to-openapi";
import type { Context } from "./context.ts";
import { errorShape, type ErrorShape } from "./error-shape.ts";
import { describeFailure } from "./failure.ts";

const trpc = initTRPC
  .context<Context>()
  .meta<OpenApiMeta>()
  .create({
    // Never true: it would send stacks to callers.
    isDev: false,
    errorFormatter: ({ error, path, ctx }): ErrorShape => errorShape(error, path, ctx?.origin.requestId ?? ""),
  });

export const { router } = trpc;

/** What every procedure begins with: each call is counted once, whichever door and batch it came in. */
export const procedure = trpc.procedure.use(async ({ ctx, path, next }) => {
  const result = await next();
  ctx.count(path, ctx.origin.door, result.ok ? "OK" : describeFailure(result.error).code);
  return result;
});
