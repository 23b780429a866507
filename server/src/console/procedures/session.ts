// Signing in and out, and the sessions of an operator.
import type { Account, Invitation, Me, SessionRow } from "@submissions/shared/console";
import { z } from "zod";
import { secret, typedCode, typedPassword, address, displayName } from "../inputs.ts";
import { done, found, open, changesOwn, readsOwn, trpc, type Context } from "../procedure.ts";
import { meOf, type NewSession } from "../sign-in.ts";

export const sessionProcedures = trpc.router({
  me: open.query(async ({ ctx }): Promise<Me | null> => {
    const caller = await ctx.caller();
    if (caller === null) return null;
    return meOf({ email: caller.name, role: caller.role }, caller.kind === "operator" && caller.mustSetSecondFactor);
  }),

  methods: open.query(({ ctx }): { readonly password: boolean; readonly oidc: boolean } => ({
    password: ctx.console.passwordsOn,
    oidc: ctx.console.openIdConnect !== null,
  })),

  signIn: open
    .input(z.object({ email: address, password: typedPassword, code: typedCode.exactOptional() }))
    .mutation(async ({ ctx, input }) => {
      const session = await ctx.console.signIns.withPassword(input, ctx.visitor);
      await ctx.bind(session.operator);
      return replaceSession(ctx, session);
    }),

  invitation: open.input(z.object({ token: secret })).query(async ({ ctx, input }): Promise<Invitation> => {
    const { email, name, role, invitationExpiresAt } = await ctx.console.signIns.invited(input.token, ctx.visitor);
    return { email, name, role, expiresAt: invitationExpiresAt ?? 0 };
  }),

  acceptInvitation: open
    .input(z.object({ token: secret, password: typedPassword, name: displayName.exactOptional() }))
    .mutation(async ({ ctx, input }): Promise<Me | null> => {
      const session = await ctx.console.signIns.withInvitation(input, ctx.visitor);
      return session && replaceSession(ctx, session);
    }),

  useSignInLink: open
    .input(z.object({ token: secret }))
    .mutation(async ({ ctx, input: { token } }) =>
      replaceSession(ctx, await ctx.console.signIns.withLink(token, ctx.visitor)),
    ),

  changePassword: changesOwn
    .input(z.object({ current: typedPassword, password: typedPassword }))
    .mutation(async ({ ctx, input }): Promise<null> => {
      const { name: email, isStrong } = ctx.caller;
      ctx.keep(await ctx.console.signIns.withNewPassword({ ...input, email, isStrong }, ctx.visitor));
      return null;
    }),

  account: readsOwn.query(async ({ ctx: { access, caller } }): Promise<Account> => {
    const { email, name, mailAssigned } = found(await access.findOperator(caller.name));
    return { email, name, mailAssigned: mailAssigned === 1 };
  }),

  setName: changesOwn
    .input(z.object({ name: displayName.nullable() }))
    .mutation(async ({ ctx: { access, caller, actor }, input }): Promise<null> =>
      done(await access.changeOperator(caller.name, input, actor)),
    ),

  setMailAssigned: changesOwn
    .input(z.object({ mailAssigned: z.boolean() }))
    .mutation(async ({ ctx: { access, caller, actor }, input }): Promise<null> =>
      done(await access.changeOperator(caller.name, input, actor)),
    ),

  list: readsOwn.query(
    async ({ ctx: { access, caller, actor } }): Promise<readonly (SessionRow & { readonly isThis: boolean })[]> => {
      const sessions = await access.listSessions(caller.operatorId, actor.at);
      return sessions.map(({ idHash, ...session }) => ({ ...session, isThis: idHash === caller.sessionHash }));
    },
  ),

  end: changesOwn
    .input(z.object({ id: secret }))
    .mutation(async ({ ctx: { access, caller, actor }, input: { id } }): Promise<null> =>
      done((await access.endSessions({ operatorId: caller.operatorId, id }, actor)) > 0),
    ),

  signOut: changesOwn.mutation(
    async ({ ctx: { access, caller, actor, keep, console } }): Promise<null | { readonly providerUrl: string }> => {
      await access.endSessions({ idHash: caller.sessionHash }, actor);
      keep(null);
      const providerUrl = await console.openIdConnect?.endOfSession();
      return providerUrl == null ? null : { providerUrl };
    },
  ),

  signOutEverywhere: changesOwn.mutation(async ({ ctx: { access, caller, actor, keep } }): Promise<null> => {
    await access.endSessions({ operatorId: caller.operatorId, id: null }, actor);
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
    await console.access.endSessions(
      { idHash: before.sessionHash },
      { operator: before.name, at: console.clock.now() },
    );
  }
  keep(session);
  return meOf(session.operator, console.mustSetSecondFactor(session.operator, session.isStrong));
}
