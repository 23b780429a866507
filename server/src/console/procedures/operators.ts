// Operators, and tokens for scripts. Administrators only.
import { email } from "@submissions/shared/fields";
import { z } from "zod";
import { fieldInvalid } from "../../fault.ts";
import { address, byEmail, byId, instant, label, role } from "../inputs.ts";
import { done, forRoles, found, trpc } from "../procedure.ts";
import { drawSecret, hashSecret } from "../../secrets.ts";

/** Tells what a text is that is found where it should not be, for scanners of sources. */
const tokenPrefix = "submissions_";

const { changes, shows } = forRoles("admin");

export const operatorProcedures = trpc.router({
  list: shows(({ access }) => access.listOperators()),

  invite: changes(z.object({ email, role }), async ({ access, actor, console }, input) => {
    if (console.isInbound(input.email)) throw fieldInvalid("email", "Mails to this address come in as answers.");
    const token = drawSecret();
    const invitation = { role: input.role, invitationHash: hashSecret(token), token };
    await done(access.changeOperator(input.email, invitation, actor));
    return { link: `${console.publicUrl()}/console/invitation#token=${token}` };
  }),

  remove: changes(byEmail, ({ access, actor }, input) =>
    done(access.changeOperator(input.email, { removed: true }, actor)),
  ),

  endSessions: changes(byEmail, async ({ access, actor }, input) => {
    const { id } = found(await access.findOperator(input.email));
    await access.endSessions({ operatorId: id, id: null }, actor);
    return null;
  }),

  setRole: changes(z.object({ email: address, role }), ({ access, actor }, input) =>
    done(access.changeOperator(input.email, { role: input.role }, actor)),
  ),
});

export const tokenProcedures = trpc.router({
  list: shows(({ access }) => access.listTokens()),

  create: changes(z.object({ name: label, role, expiresAt: instant.nullable() }), async ({ access, actor }, input) => {
    if (input.expiresAt !== null && input.expiresAt <= actor.at) {
      throw fieldInvalid("expiresAt", "This time has passed.");
    }
    const token = tokenPrefix + drawSecret();
    await access.createToken({ ...input, hash: hashSecret(token) }, actor);
    return { token };
  }),

  revoke: changes(byId, ({ access, actor }, input) => done(access.revokeToken(input.id, actor))),
});
