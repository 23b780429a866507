// Tags: words that operators put on submissions.
import { z } from "zod";
import { triageMax } from "../../storage/desk-store.ts";
import { reference, tag } from "../inputs.ts";
import { changes, reads, trpc } from "../procedure.ts";
import { submissionRoles } from "../rules.ts";

export const tagProcedures = trpc.router({
  /** Those of submissions that the role sees. */
  list: reads(...submissionRoles).query(({ ctx: { desk, scope } }): Promise<readonly string[]> => desk.listTags(scope)),

  change: changes(...submissionRoles)
    .input(
      z.object({
        references: z.array(reference).min(1).max(triageMax, "These are too many at once."),
        add: tag.exactOptional(),
        remove: tag.exactOptional(),
      }),
    )
    .mutation(async ({ ctx: { desk, scope, actor }, input }): Promise<{ readonly changed: number }> => ({
      changed: await desk.changeTags(scope, input, actor),
    })),

  rename: changes("admin")
    .input(z.object({ from: tag, to: tag }))
    .mutation(async ({ ctx: { desk, scope, actor }, input }): Promise<{ readonly changed: number }> => ({
      changed: await desk.changeTags(scope, input, actor),
    })),
});
