// Mails that came in and fit no submission. Administrators only: what a stranger wrote may be about anything.
import { z } from "zod";
import { fieldInvalid } from "../../fault.ts";
import { byId, byPage, reference, wholeNumber } from "../inputs.ts";
import { done, forRoles, trpc } from "../procedure.ts";

const { changes, reads } = forRoles("admin");

export const unmatchedProcedures = trpc.router({
  list: reads(byPage, ({ inbound }, input) => inbound.listUnmatched(input.page)),

  file: changes(z.object({ id: wholeNumber, reference }), async ({ inbound, scope, actor, console }, input) => {
    if (await inbound.fileUnmatched(scope, input.id, input.reference, actor, console.teamKeys)) return null;
    throw fieldInvalid("reference", "There is no submission with this reference, or the mail is filed already.");
  }),

  remove: changes(byId, ({ inbound, actor }, input) => done(inbound.removeUnmatched(input.id, actor))),
});
