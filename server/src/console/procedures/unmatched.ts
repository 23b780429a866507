// Mails that came in and fit no submission. Administrators only: what a stranger wrote may be about anything.
import { z } from "zod";
import { page, reference, wholeNumber } from "../inputs.ts";
import { changes, done, reads, trpc } from "../procedure.ts";

export const unmatchedProcedures = trpc.router({
  list: reads("admin")
    .input(z.object({ page }))
    .query(({ ctx: { console }, input }) => console.store.inbound.listUnmatched(input.page)),

  file: changes("admin")
    .input(z.object({ id: wholeNumber, reference }))
    .mutation(({ ctx: { console, scope, actor }, input }) =>
      done(console.store.inbound.fileUnmatched(scope, input.id, input.reference, actor)),
    ),

  remove: changes("admin")
    .input(z.object({ id: wholeNumber }))
    .mutation(({ ctx: { console, actor }, input }) => done(console.store.inbound.removeUnmatched(input.id, actor))),
});
