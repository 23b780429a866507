// Operators, and tokens for scripts. Administrators only.
import type { OperatorRow, TokenRow } from "@submissions/shared/console";
import { z } from "zod";
import { fieldInvalid } from "../../fault.ts";
import { address, instant, label, newAddress, role, wholeNumber } from "../inputs.ts";
import { changes, done, found, reads, trpc } from "../procedure.ts";
import { drawSecret, hashSecret } from "../../secrets.ts";

/** Tells what a text is that is found where it should not be, for scanners of sources. */
const tokenPrefix = "submissions_";

export const operatorProcedures = trpc.router({
  list: reads("admin").query(({ ctx: { access } }): Promise<readonly OperatorRow[]> => access.listOperators()),

  invite: changes("admin")
    .input(z.object({ email: newAddress, role }))
    .mutation(async ({ ctx: { access, actor, console }, input }): Promise<{ readonly link: string }> => {
      const token = drawSecret();
      const invitation = { role: input.role, invitationHash: hashSecret(token) };
      done(await access.changeOperator(input.email, invitation, actor));
      return { link: `${console.publicUrl()}/console/invitation#token=${token}` };
    }),

  remove: changes("admin")
    .input(z.object({ email: address }))
    .mutation(async ({ ctx: { access, actor }, input }): Promise<null> =>
      done(await access.changeOperator(input.email, { removed: true }, actor)),
    ),

  endSessions: changes("admin")
    .input(z.object({ email: address }))
    .mutation(async ({ ctx: { access, actor }, input }): Promise<null> => {
      const { id } = found(await access.findOperator(input.email));
      await access.endSessions({ operatorId: id, id: null }, actor);
      return null;
    }),

  setRole: changes("admin")
    .input(z.object({ email: address, role }))
    .mutation(async ({ ctx: { access, actor }, input }): Promise<null> =>
      done(await access.changeOperator(input.email, { role: input.role }, actor)),
    ),
});

export const tokenProcedures = trpc.router({
  list: reads("admin").query(({ ctx: { access } }): Promise<readonly TokenRow[]> => access.listTokens()),

  create: changes("admin")
    .input(z.object({ name: label, role, expiresAt: instant.nullable() }))
    .mutation(async ({ ctx: { access, actor }, input }): Promise<{ readonly token: string }> => {
      if (input.expiresAt !== null && input.expiresAt <= actor.at) {
        throw fieldInvalid("expiresAt", "This time has passed.");
      }
      const token = tokenPrefix + drawSecret();
      await access.createToken({ ...input, hash: hashSecret(token) }, actor);
      return { token };
    }),

  revoke: changes("admin")
    .input(z.object({ id: wholeNumber }))
    .mutation(async ({ ctx: { access, actor }, input }): Promise<null> =>
      done(await access.revokeToken(input.id, actor)),
    ),
});
