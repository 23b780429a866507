// Mails that came in and fit no submission. Administrators only: what a stranger wrote may be about anything.
import { z } from "zod";
import { fieldInvalid } from "../../fault.ts";
import { page, reference, wholeNumber } from "../inputs.ts";
import { changes, done, reads, trpc } from "../procedure.ts";

export const unmatchedProcedures = trpc.router({
  list: reads("admin")
    .input(z.object({ page }))
    .query(({ ctx: { console }, input }) => console.store.inbound.listUnmatched(input.page)),

  file: changes("admin")
    .input(z.object({ id: wholeNumber, reference }))
    .mutation(async ({ ctx: { console, scope, actor }, input }) => {
      if (await console.store.inbound.fileUnmatched(scope, input.id, input.reference, actor)) return null;
      throw fieldInvalid("reference", "There is no submission with this reference, or the mail is filed already.");
    }),

  remove: changes("admin")
    .input(z.object({ id: wholeNumber }))
    .mutation(({ ctx: { console, actor }, input }) => done(console.store.inbound.removeUnmatched(input.id, actor))),
});
