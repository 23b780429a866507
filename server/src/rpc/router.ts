// tRPC's router, made from the list of procedures: the types of clients, the OpenAPI document and tRPC's own callers come
// from it. Its builder stays in here. The doors read the list, so a `.use()` or a second `.input()` on a procedure of the
// router would not run there; a condition on calls is one of the procedure's `guards`.
import { initTRPC } from "@trpc/server";
import type { OpenApiMeta } from "trpc-to-openapi";
import type { z } from "zod";
import { errorShape, faultOf } from "./failure.ts";
import { type Context, type Procedure, run } from "./procedure.ts";
import { procedures } from "./procedures.ts";

const trpc = initTRPC
  .context<Context>()
  .meta<OpenApiMeta>()
  .create({
    // Never true: it would send stacks to callers.
    isDev: false,
    errorFormatter: ({ error, path, ctx }) => errorShape(faultOf(error), path, ctx?.call.requestId ?? ""),
  });

const build = <Input extends z.ZodType, Output extends z.ZodType>(
  one: Procedure<`${string}.${string}`, Input, Output>,
) =>
  trpc.procedure
    .meta({ openapi: { method: "POST", path: one.url, contentTypes: [...one.contentTypes], ...one.operation } })
    .input(one.input)
    .output(one.output)
    // The types are the schemas' own, which tRPC derives in a way that the compiler cannot follow here.
    .mutation(({ ctx, input }) => run(one, ctx, input as z.output<Input>) as Promise<never>);

type Built<One> =
  One extends Procedure<infer _Path, infer Input, infer Output> ? ReturnType<typeof build<Input, Output>> : never;

/** The procedures of a list by the two parts of their paths. */
type Groups<One extends Procedure> = {
  [Group in One["path"] extends `${infer First}.${string}` ? First : never]: {
    [Each in One as Each["path"] extends `${Group}.${infer Name}` ? Name : never]: Built<Each>;
  };
};

export function routerOf<const List extends readonly Procedure[]>(list: List) {
  const groups: Record<string, Record<string, ReturnType<typeof build>>> = {};
  for (const one of list) {
    const [group = "", name = ""] = one.path.split(".");
    (groups[group] ??= {})[name] = build(one);
  }
  return trpc.router(groups as unknown as Groups<List[number]>);
}

export const appRouter = routerOf(procedures);

/** What the typed client is typed by. */
export type AppRouter = typeof appRouter;
