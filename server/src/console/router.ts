// The router of the console. It has no privileges beside its rules.
import type { AuditRow, Page } from "@submissions/shared/console";
import { z } from "zod";
import { Fault } from "../fault.ts";
import { byPage } from "./inputs.ts";
import { type Context, forRoles, trpc } from "./procedure.ts";
import { declineProcedures } from "./procedures/decline.ts";
import { mailProcedures, unmatchedProcedures } from "./procedures/mails.ts";
import { operatorProcedures, tokenProcedures } from "./procedures/operators.ts";
import { overviewProcedures } from "./procedures/overview.ts";
import { peopleProcedures } from "./procedures/people.ts";
import { replyProcedures } from "./procedures/reply.ts";
import { secondFactorProcedures, sessionProcedures } from "./procedures/session.ts";
import { inboxProcedures, submissionProcedures, tagProcedures } from "./procedures/submissions.ts";
import { subscriberProcedures } from "./procedures/subscribers.ts";
import { webhookProcedures } from "./procedures/webhooks.ts";
import { noteRefusal, type Rule, unknownCall } from "./role-rules.ts";

export const consoleRouter = trpc.router({
  session: sessionProcedures,
  secondFactor: secondFactorProcedures,
  inbox: inboxProcedures,
  submission: submissionProcedures,
  reply: replyProcedures,
  decline: declineProcedures,
  tags: tagProcedures,
  people: peopleProcedures,
  subscribers: subscriberProcedures,
  mails: mailProcedures,
  unmatched: unmatchedProcedures,
  overview: overviewProcedures,
  audit: trpc.router({
    list: forRoles("admin").reads(byPage, ({ desk }, input): Promise<Page<AuditRow>> => desk.listAudit(input.page)),
  }),
  operators: operatorProcedures,
  tokens: tokenProcedures,
  webhooks: webhookProcedures,
});

export type ConsoleRouter = typeof consoleRouter;

export type RuledProcedure = ReturnType<typeof ruledProcedures>[number];

/** A procedure as tRPC builds it. */
interface Described {
  readonly _def: {
    readonly type: string;
    readonly meta?: { readonly rule?: Rule };
    readonly inputs?: readonly unknown[];
  };
}

/**
 * All procedures of a router with their rules. tRPC's public interface tells neither a procedure's type nor its schemas at
 * run time, so this reads `_def`, as adapters and makers of OpenAPI documents do. Nothing else here does.
 * @throws Error where a rule is missing, or a query has one for changes
 */
export function ruledProcedures(router: { readonly _def: { readonly procedures: object } }) {
  return Object.entries(router._def.procedures as Readonly<Record<string, Described>>).map(([path, { _def }]) => {
    const { type, meta: { rule } = {}, inputs: [input = null] = [] } = _def;
    if (rule === undefined) throw new Error(`The procedure ${path} of the console has no rule.`);
    if (type !== "query" && type !== "mutation") throw new Error(`${path} is neither a query nor a mutation.`);
    if (rule !== "anyone" && rule.changes !== (type === "mutation")) {
      throw new Error(`The rule of ${path} does not say that it ${type === "mutation" ? "changes" : "only reads"}.`);
    }
    // Without an input: null.
    return { path, type, rule, input: input as z.ZodType | null } as const;
  });
}

export const consoleProcedures = ruledProcedures(consoleRouter);

const procedures = new Map(consoleProcedures.map((procedure) => [procedure.path, procedure]));

/** What the log tells of a call; null for an unknown path. */
export function describeCall(path: string): { readonly procedure: string; readonly isRead: boolean } | null {
  const procedure = procedures.get(path);
  return procedure ? { procedure: path, isRead: procedure.type === "query" } : null;
}

type Caller = { readonly [name: string]: Caller & ((input: unknown) => Promise<unknown>) };

/** Calls a procedure. @throws Fault `notFound` for an unknown path; what the procedure throws, in an error of tRPC */
export async function callConsole(path: string, ctx: Context, input: unknown): Promise<unknown> {
  if (!procedures.has(path)) {
    const unknown = new Fault("notFound");
    noteRefusal(ctx.console, await ctx.caller(), unknownCall, unknown);
    throw unknown;
  }
  const [group = "", name = ""] = path.split(".");
  return (consoleRouter.createCaller(ctx) as unknown as Caller)[group]![name]!(input);
}
