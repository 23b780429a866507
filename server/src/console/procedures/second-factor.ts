// The second factor of the operator who calls.
import { z } from "zod";
import { Fault, fieldInvalid } from "../../fault.ts";
import { hashSecret } from "../../secrets.ts";
import { secret, typedCode, typedPassword } from "../inputs.ts";
import { changesOwn, readsOwn, trpc } from "../procedure.ts";
import { drawFactor, drawRecoveryCodes, type NewSecret, readCode, stepOf } from "../second-factor.ts";

export const secondFactorProcedures = trpc.router({
  get: readsOwn.query(async ({ ctx: { access, caller } }): Promise<{ readonly isSet: boolean }> => {
    const operator = await access.findOperator(caller.name);
    return { isSet: operator !== null && operator.totpSecret !== null };
  }),

  begin: changesOwn
    .input(z.object({ password: typedPassword }))
    .mutation(async ({ ctx: { console, caller, visitor }, input: { password } }): Promise<NewSecret> => {
      await console.signIns.confirm(caller.name, password, "password", visitor);
      return drawFactor(console.brand, caller.name);
    }),

  /** Answers the recovery codes, which are shown once. */
  confirm: changesOwn
    .input(z.object({ password: typedPassword, secret, code: typedCode }))
    .mutation(async ({ ctx: { console, access, caller, actor, visitor }, input }): Promise<readonly string[]> => {
      const operator = await console.signIns.confirm(caller.name, input.password, "password", visitor);
      const read = /^[A-Z2-7]{32}$/.test(input.secret) ? readCode(input.code) : null;
      const step = read?.kind === "app" ? await stepOf(input.secret, read.code, actor.at) : null;
      if (step === null) throw fieldInvalid("code", "This is not the code that the app shows now.");
      const codes = drawRecoveryCodes();
      const factor = { secret: input.secret, recoveryHashes: codes.map(hashSecret) };
      if (!(await access.changeOperator(caller.name, { secondFactor: factor }, actor))) throw new Fault("signedOut");
      await access.useSecondFactor(operator.id, { step }, actor.at);
      return codes;
    }),

  remove: changesOwn
    .input(z.object({ password: typedPassword }))
    .mutation(async ({ ctx: { console, access, caller, actor, visitor }, input: { password } }): Promise<null> => {
      await console.signIns.confirm(caller.name, password, "password", visitor);
      if (!(await access.changeOperator(caller.name, { secondFactor: null }, actor))) throw new Fault("signedOut");
      return null;
    }),
});
