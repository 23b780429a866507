// Signing in and out, the sessions of an operator, and the second factor.
import type { Account, Me } from "@submissions/shared/console";
import { z } from "zod";
import { Fault, fieldInvalid } from "../../fault.ts";
import { hashSecret } from "../../secrets.ts";
import { address, displayName, secret, typedCode, typedPassword } from "../inputs.ts";
import { type Context, done, forAnyone, forOwner, found, trpc } from "../procedure.ts";
import { drawFactor, drawRecoveryCodes, readCode, stepOf } from "../second-factor.ts";
import { meOf, type NewSession } from "../sign-in.ts";

const { changes, does, shows } = forOwner;

export const sessionProcedures = trpc.router({
  me: forAnyone.shows(async (ctx) => {
    const caller = await ctx.caller();
    if (caller === null) return null;
    return meOf({ email: caller.name, role: caller.role }, caller.kind === "operator" && caller.mustSetSecondFactor);
  }),

  methods: forAnyone.shows(({ console: { passwordsOn, openIdConnect } }) => {
    return { password: passwordsOn, oidc: openIdConnect !== null };
  }),

  signIn: forAnyone.changes(
    z.object({ email: address, password: typedPassword, code: typedCode.exactOptional() }),
    async (ctx, input) => {
      const session = await ctx.console.signIns.withPassword(input, ctx.visitor);
      await ctx.bind(session.operator);
      return replaceSession(ctx, session);
    },
  ),

  /** Ends a sign-in by the provider that waits for the code of the second factor. */
  enterCode: forAnyone.changes(z.object({ code: typedCode }), async (ctx, { code }) => {
    const operator = await ctx.operatorAwaitingCode();
    if (operator === null) throw new Fault("oidcFailed");
    const session = await ctx.console.signIns.withCode(operator, code, ctx.visitor);
    await ctx.bind(operator);
    return replaceSession(ctx, session);
  }),

  invitation: forAnyone.reads(z.object({ token: secret }), async (ctx, input) => {
    const { email, name, role, invitationExpiresAt } = await ctx.console.signIns.invited(input.token, ctx.visitor);
    return { email, name, role, expiresAt: invitationExpiresAt ?? 0 };
  }),

  acceptInvitation: forAnyone.changes(
    z.object({ token: secret, password: typedPassword, name: displayName.exactOptional() }),
    async (ctx, input) => {
      const session = await ctx.console.signIns.withInvitation(input, ctx.visitor);
      return session && replaceSession(ctx, session);
    },
  ),

  useSignInLink: forAnyone.changes(z.object({ token: secret }), async (ctx, { token }) =>
    replaceSession(ctx, await ctx.console.signIns.withLink(token, ctx.visitor)),
  ),

  changePassword: changes(
    z.object({ current: typedPassword, password: typedPassword }),
    async ({ console, caller, visitor, setSession }, input) => {
      setSession(await console.signIns.withNewPassword(caller, input, visitor));
      return null;
    },
  ),

  account: shows(async ({ access, caller, console }): Promise<Account> => {
    const operator = found(await access.findOperator(caller.name));
    const { email, name, mailAssigned } = operator;
    return { email, name, mailAssigned: mailAssigned === 1, hasPassword: console.signIns.hasPassword(operator) };
  }),

  setName: changes(z.object({ name: displayName.nullable() }), ({ access, caller, actor }, input) =>
    done(access.changeOperator(caller.name, input, actor)),
  ),

  setMailAssigned: changes(z.object({ mailAssigned: z.boolean() }), ({ access, caller, actor }, input) =>
    done(access.changeOperator(caller.name, input, actor)),
  ),

  list: shows(async ({ access, caller, actor }) => {
    const sessions = await access.listSessions(caller.operatorId, actor.at);
    return sessions.map(({ idHash, ...session }) => ({ ...session, isThis: idHash === caller.sessionHash }));
  }),

  end: changes(z.object({ id: secret }), async ({ access, caller, actor }, { id }) =>
    done((await access.endSessions({ operatorId: caller.operatorId, id }, actor)) > 0),
  ),

  signOut: does(async ({ access, caller, actor, setSession, console }) => {
    await access.endSessions({ idHash: caller.sessionHash }, actor);
    setSession(null);
    const providerUrl = await console.openIdConnect?.endOfSession();
    return providerUrl == null ? null : { providerUrl };
  }),

  signOutEverywhere: does(async ({ access, caller, actor, setSession }) => {
    await access.endSessions({ operatorId: caller.operatorId, id: null }, actor);
    setSession(null);
    return null;
  }),
});

export const secondFactorProcedures = trpc.router({
  get: shows(async ({ access, caller }) => {
    return { isSet: found(await access.findOperator(caller.name)).totpSecret !== null };
  }),

  begin: changes(z.object({ password: typedPassword }), async ({ console, caller, visitor }, { password }) => {
    await console.signIns.confirmOwner(caller, password, visitor);
    return drawFactor(console.brand, caller.name);
  }),

  /** Answers the recovery codes, which are shown once. */
  confirm: changes(
    z.object({ password: typedPassword, secret, code: typedCode }),
    async ({ console, access, caller, actor, visitor }, input) => {
      const operator = await console.signIns.confirmOwner(caller, input.password, visitor);
      const read = /^[A-Z2-7]{32}$/.test(input.secret) ? readCode(input.code) : null;
      const step = read?.kind === "app" ? await stepOf(input.secret, read.code, actor.at) : null;
      if (step === null) throw fieldInvalid("code", "This is not the code that the app shows now.");
      const codes = drawRecoveryCodes();
      const factor = { secret: input.secret, recoveryHashes: codes.map(hashSecret) };
      if (!(await access.changeOperator(caller.name, { secondFactor: factor }, actor))) throw new Fault("signedOut");
      await access.useSecondFactor(operator.id, { step }, actor.at);
      return codes;
    },
  ),

  remove: changes(
    z.object({ password: typedPassword }),
    async ({ console, access, caller, actor, visitor }, { password }) => {
      await console.signIns.confirmOwner(caller, password, visitor);
      if (!(await access.changeOperator(caller.name, { secondFactor: null }, actor))) throw new Fault("signedOut");
      return null;
    },
  ),
});

/** The session that the browser had, if any, ends. */
async function replaceSession({ caller, setSession, console }: Context, session: NewSession): Promise<Me> {
  const before = await caller();
  if (before?.kind === "operator") {
    const actor = { operator: before.name, at: console.clock.now() };
    await console.access.endSessions({ idHash: before.sessionHash }, actor);
  }
  setSession(session);
  return meOf(session.operator, console.mustSetSecondFactor(session.operator, session.isStrong));
}
