// What the procedures of the console are built with: those of a rule, which names the roles, and those that anyone may call.
import type { Role } from "@submissions/shared/roles";
import { initTRPC, type TRPCProcedureBuilder, type TRPCUnsetMarker as Unset } from "@trpc/server";
import type { z } from "zod";
import { Fault } from "../fault.ts";
import { picked } from "../field-values.ts";
import { errorShape, faultOf } from "../rpc/failure.ts";
import type { StoredOperator } from "../storage/access-store.ts";
import type { Actor, DeskStore, Scope } from "../storage/desk-store.ts";
import { countedBy, type Caller } from "./caller.ts";
import type { Console } from "./console.ts";
import { admit, everyRole, noteRefusal, scopeOf, type Rule } from "./role-rules.ts";
import type { NewSession } from "./sign-in.ts";
import type { Visitor } from "./visitor.ts";

export interface Context {
  readonly console: Console;
  readonly requestId: string;
  readonly visitor: Visitor;
  readonly hasToken: boolean;
  /** Of a change that the page may ask for again; null: it will not. */
  readonly key: string | null;
  /** Who calls; looked up once a request. */
  readonly caller: () => Promise<Caller | null>;
  readonly gone: AbortSignal;
  /** Gives the browser its session; null: takes it away. */
  readonly setSession: (session: NewSession | null) => void;
  /** Binds the account that this browser brought from the provider before, if any, to the operator who signs in. */
  readonly bind: (operator: StoredOperator) => Promise<void>;
  /** The operator whom the provider has vouched for in this browser, and who has still to give the code; null: none. */
  readonly operatorAwaitingCode: () => Promise<StoredOperator | null>;
}

type Meta = { readonly rule: Rule };

export const trpc = initTRPC
  .context<Context>()
  .meta<Meta>()
  .create({
    // Never true: it would send stacks to callers.
    isDev: false,
    errorFormatter: ({ error, path, ctx }) => errorShape(faultOf(error), path, ctx?.requestId ?? ""),
  });

/** What a procedure is given once its rule has let the caller in. */
export type Ruled = Omit<Context, "caller"> & {
  readonly actor: Actor;
  readonly scope: Scope;
  readonly desk: DeskStore;
};

const ruled = (rule: Exclude<Rule, string>) =>
  trpc.procedure
    .meta({ rule })
    .use(async ({ ctx, path, next }) => {
      const result = await next();
      const caller = await ctx.caller();
      if (!result.ok) noteRefusal(ctx.console, caller, path, result.error.cause);
      else if (caller?.kind === "token") ctx.console.gathered.note(caller.name, "read", path);
      return result;
    })
    .use(async ({ ctx, path, getRawInput, next }) => {
      const caller = admit(await ctx.caller(), rule);
      const { console } = ctx;
      const actor: Actor = { operator: caller.name, at: console.clock.now() };
      using _turn = rule.changes ? null : await console.turns.reads.take(countedBy(caller), ctx.gone);
      const stores = picked(console.store, ["desk", "access", "webhooks", "replies", "declines", "inbound"]);
      const answer = () => next({ ctx: { caller, actor, scope: scopeOf(caller.role), ...stores } });
      if (!rule.changes) return answer();
      const change = async () => {
        const result = await answer();
        if (!result.ok) return result;
        console.acted(path);
        // The context holds the whole request, passwords and files included. Kept answers are without it.
        return { ...result, ctx: undefined } as unknown as typeof result;
      };
      return ctx.key === null ? change() : console.once([caller.name, ctx.key, path, await getRawInput()], change);
    });

/** A builder that has taken neither input nor output yet. @typeParam Extra what its middlewares add to the context */
type Builder<Extra> = TRPCProcedureBuilder<Context, Meta, Extra, Unset, Unset, Unset, Unset, false>;
type Given<Extra> = Omit<Context, keyof Extra> & Extra;
type Answer<Extra, Inputs extends unknown[], Output> = (
  context: Given<Extra>,
  ...inputs: Inputs
) => Output | Promise<Output>;

/** Makes queries (`shows`, `reads`) and mutations (`does`, `changes`) of functions. The first of each pair takes no input. */
const proceduresOf = <Query, Change>(query: Builder<Query>, mutation: Builder<Change>) => ({
  shows: <Output>(answer: Answer<Query, [], Output>) => query.query(({ ctx }) => answer(ctx as Given<Query>)),
  reads: <Schema extends z.ZodType, Output>(schema: Schema, answer: Answer<Query, [z.output<Schema>], Output>) =>
    query.input(schema).query(({ ctx, input }) => answer(ctx as Given<Query>, input as z.output<Schema>)),
  does: <Output>(answer: Answer<Change, [], Output>) => mutation.mutation(({ ctx }) => answer(ctx as Given<Change>)),
  changes: <Schema extends z.ZodType, Output>(schema: Schema, answer: Answer<Change, [z.output<Schema>], Output>) =>
    mutation.input(schema).mutation(({ ctx, input }) => answer(ctx as Given<Change>, input as z.output<Schema>)),
});

/** For these roles. Tokens may call what only reads. */
export const forRoles = (...roles: readonly Role[]) =>
  proceduresOf(ruled({ roles, changes: false }), ruled({ roles, changes: true }));

// For what belongs to the operator who calls: no token has it, and it works before a required second factor is set.
const own = (isChange: boolean) =>
  ruled({ roles: everyRole, changes: isChange, beforeFactor: true }).use(({ ctx: { caller }, next }) => {
    if (caller.kind === "token") throw new Fault("tokenReadsOnly");
    return next({ ctx: { caller } });
  });

export const forOwner = proceduresOf(own(false), own(true));

const open = trpc.procedure.meta({ rule: "anyone" }).use(async ({ ctx, path, next }) => {
  if (!ctx.hasToken) return next();
  const refusal = new Fault("tokenReadsOnly");
  noteRefusal(ctx.console, await ctx.caller(), path, refusal);
  throw refusal;
});

/** For anyone, but for no token. */
export const forAnyone = proceduresOf(open, open);

type Changed = boolean | "last-admin";

/** What a change came to. @throws Fault `notFound`, `lastAdmin` */
export async function done(change: Changed | Promise<Changed>): Promise<null> {
  const result = await change;
  if (result === "last-admin") throw new Fault("lastAdmin");
  if (!result) throw new Fault("notFound");
  return null;
}

/** What a look-up found. @throws Fault `notFound` */
export function found<Thing>(thing: Thing | null): Thing {
  if (thing === null) throw new Fault("notFound");
  return thing;
}
