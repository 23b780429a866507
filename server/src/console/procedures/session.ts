// Signing in and out.
import type { Me } from "@submissions/shared/console";
import { z } from "zod";
import { secret, typedPassword, address } from "../inputs.ts";
import { changes, open, trpc, type Context } from "../procedure.ts";
import { everyRole } from "../rules.ts";
import type { NewSession } from "../sign-in.ts";

export const sessionProcedures = trpc.router({
  me: open.query(async ({ ctx }): Promise<Me | null> => {
    const caller = await ctx.caller();
    return caller === null ? null : { email: caller.name, role: caller.role };
  }),

  methods: open.query(({ ctx }): { readonly password: true; readonly oidc: boolean } => ({
    password: true,
    oidc: ctx.console.openIdConnect !== null,
  })),

  signIn: open
    .input(z.object({ email: address, password: typedPassword }))
    .mutation(async ({ ctx, input: { email, password } }) =>
      replaceSession(ctx, await ctx.console.signIns.withPassword(email, password, ctx.client)),
    ),

  acceptInvitation: open
    .input(z.object({ token: secret, password: typedPassword }))
    .mutation(async ({ ctx, input: { token, password } }) =>
      replaceSession(ctx, await ctx.console.signIns.withInvitation(token, password, ctx.client)),
    ),

  changePassword: changes(...everyRole)
    .input(z.object({ current: typedPassword, password: typedPassword }))
    .mutation(async ({ ctx, input: { current, password } }): Promise<null> => {
      ctx.keep(await ctx.console.signIns.withNewPassword(ctx.caller.name, current, password, ctx.client));
      return null;
    }),

  signOut: changes(...everyRole).mutation(async ({ ctx: { access, caller, actor, keep } }): Promise<null> => {
    if (caller.kind === "operator") await access.deleteSession(caller.sessionHash, actor);
    keep(null);
    return null;
  }),

  signOutEverywhere: changes(...everyRole).mutation(async ({ ctx: { access, caller, actor, keep } }): Promise<null> => {
    if (caller.kind === "operator") await access.deleteSessions(caller.operatorId, actor);
    keep(null);
    return null;
  }),
});

/** The session that the browser had, if any, ends. */
async function replaceSession(
  { caller, keep, console }: Pick<Context, "caller" | "keep" | "console">,
  session: NewSession,
): Promise<Me> {
  const before = await caller();
  if (before?.kind === "operator") {
    await console.access.deleteSession(before.sessionHash, { operator: before.name, at: console.clock.now() });
  }
  keep(session);
  return session.me;
}
