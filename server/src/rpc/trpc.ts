// The tRPC instance: what procedures are built with.
import { initTRPC } from "@trpc/server";
import type { OpenApiMeta } from "trpc-to-openapi";
import type { Context } from "./context.ts";
import { errorShape, type ErrorShape } from "./error-shape.ts";

const trpc = initTRPC
  .context<Context>()
  .meta<OpenApiMeta>()
  .create({
    // Never true: it would send stacks to callers.
    isDev: false,
    errorFormatter: ({ error, path, ctx }): ErrorShape => errorShape(error, path, ctx?.call.origin.requestId ?? ""),
  });

export const { procedure, router } = trpc;
