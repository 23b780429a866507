// One submission.
import type { Neighbours, Note, SubmissionDetail } from "@submissions/shared/console";
import { z } from "zod";
import { submissionDetail } from "../../desk/detail.ts";
import { Fault } from "../../fault.ts";
import { inboxFilter, mailId, noteText, reference } from "../inputs.ts";
import { changes, found, reads, trpc } from "../procedure.ts";
import { submissionRoles } from "../rules.ts";
import { sendAgain } from "./mails.ts";

export const submissionProcedures = trpc.router({
  get: reads(...submissionRoles)
    .input(z.object({ reference }))
    .query(async ({ ctx: { desk, scope, console }, input }): Promise<SubmissionDetail> => {
      const detail = found(await desk.findDetail(scope, input.reference));
      return submissionDetail(detail, console);
    }),

  neighbours: reads(...submissionRoles)
    .input(z.object({ reference, filter: inboxFilter }))
    .query(({ ctx: { desk, scope }, input }): Promise<Neighbours> =>
      desk.neighbours(scope, input.reference, input.filter),
    ),

  addNote: changes(...submissionRoles)
    .input(z.object({ reference, text: noteText }))
    .mutation(async ({ ctx: { desk, scope, actor }, input }): Promise<Note> =>
      found(await desk.addNote(scope, input.reference, input.text, actor)),
    ),

  release: changes(...submissionRoles)
    .input(z.object({ reference }))
    .mutation(async ({ ctx: { desk, scope, actor, console }, input }): Promise<null> => {
      const { result } = await desk.release(scope, input.reference, actor);
      if (result === "unknown") throw new Fault("notFound");
      if (result === "not-spam") throw new Fault("notSpam");
      console.counts.forget();
      return null;
    }),

  sendAgain: changes(...submissionRoles)
    .input(z.object({ mailId }))
    .mutation(({ ctx: { desk, scope, actor }, input }) => sendAgain(desk, scope, input.mailId, actor)),
});
