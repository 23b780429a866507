// How the work goes, what goes wrong, and what a new installation lacks.
import { overviewDays, type Overview, type Setup } from "@submissions/shared/console";
import { z } from "zod";
import { inboxRow } from "../../desk/inbox-row.ts";
import { titlesAmong } from "../../desk/package-title.ts";
import { forRoles, trpc } from "../procedure.ts";
import { everyRole } from "../role-rules.ts";

const { reads, shows } = forRoles(...everyRole);

export const overviewProcedures = trpc.router({
  get: reads(
    z.object({ days: z.literal(overviewDays, "This is no range of an overview.").exactOptional() }).optional(),
    async ({ desk, scope, console }, input): Promise<Overview> => {
      const overview = await desk.overview(scope, console.clock.now(), input?.days);
      const { waiting, shares } = overview;
      const packages = shares.package.map(({ word }) => word);
      return {
        ...overview,
        waiting: waiting.map((one) => inboxRow(one, console.packageTitles)),
        packageTitles: titlesAmong(packages, console.packageTitles),
      };
    },
  ),

  troubles: shows(({ console }) => console.troubles()),

  setup: forRoles("admin").shows(async ({ access, console }): Promise<Setup> => {
    const { length: operators } = await access.listOperators();
    return { url: console.publicUrl(), hasFrontPage: console.hasFrontPage, mail: console.mail.kind, operators };
  }),
});
