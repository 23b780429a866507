// How the work goes, what goes wrong, and what a new installation lacks.
import { overviewDays, type Overview, type Setup } from "@submissions/shared/console";
import { z } from "zod";
import { inboxRow } from "../../desk/inbox-row.ts";
import { titlesAmong } from "../../desk/package-title.ts";
import { reads, trpc } from "../procedure.ts";
import { everyRole } from "../rules.ts";

export const overviewProcedures = trpc.router({
  get: reads(...everyRole)
    .input(z.object({ days: z.literal(overviewDays, "This is no range of an overview.").exactOptional() }).optional())
    .query(async ({ ctx: { desk, scope, console }, input }): Promise<Overview> => {
      const overview = await desk.overview(scope, console.clock.now(), input?.days);
      const { waiting, shares } = overview;
      const packages = shares.package.map(({ word }) => word);
      return {
        ...overview,
        waiting: waiting.map((one) => inboxRow(one, console.packageTitles)),
        packageTitles: titlesAmong(packages, console.packageTitles),
      };
    }),

  troubles: reads(...everyRole).query(({ ctx: { console } }) => console.troubles()),

  setup: reads("admin").query(async ({ ctx: { access, console } }): Promise<Setup> => {
    const { length: operators } = await access.listOperators();
    return { url: console.publicUrl(), hasFrontPage: console.hasFrontPage, mail: console.mailKind, operators };
  }),
});
