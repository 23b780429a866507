// The one router. Both doors and the OpenAPI document are made from it.
import { applicationInput, applicationReceipt } from "@submissions/shared/application";
import { inquiryInput, inquiryReceipt } from "@submissions/shared/inquiry";
import { subscribeInput, subscribeReceipt } from "@submissions/shared/subscription";
import type { z } from "zod";
import { application } from "../intake/application.ts";
import { inquiry, unknownRawPackages } from "../intake/inquiry.ts";
import { submit } from "../intake/submit.ts";
import { subscribe } from "../intake/subscription.ts";
import { type Meta, type ProcedureEntry, trpc } from "./procedure.ts";

export const appRouter = trpc.router({
  marketplace: trpc.router({
    inquiry: trpc.procedure
      .meta({
        openapi: {
          method: "POST",
          path: "/api/marketplace/inquiry",
          operationId: "submitInquiry",
          summary: "Ask about dataset packages",
          description: "Stores a buyer's inquiry, mails a receipt to the buyer and a notice to the sales team.",
        },
        alsoWrong: unknownRawPackages,
      })
      .input(inquiryInput)
      .output(inquiryReceipt)
      .mutation(({ ctx, input }) => submit(ctx.intake, inquiry, input, ctx.call)),
  }),
  newsletter: trpc.router({
    subscribe: trpc.procedure
      .meta({
        openapi: {
          method: "POST",
          path: "/api/newsletter/subscribe",
          operationId: "subscribeToNewsletter",
          summary: "Subscribe to the newsletter",
          description: "Stores a subscription and sends a welcome mail. Every address is answered alike, known or not.",
        },
      })
      .input(subscribeInput)
      .output(subscribeReceipt)
      .mutation(({ ctx, input }) => subscribe(ctx.intake, input, ctx.call)),
  }),
  applications: trpc.router({
    submit: trpc.procedure
      .meta({
        openapi: {
          method: "POST",
          path: "/api/applications/submit",
          operationId: "submitApplication",
          summary: "Apply for a job",
          description:
            "Stores an application and its resume, mails a receipt to the applicant and a notice to the recruiting team. " +
            "A resume needs multipart/form-data; without one, JSON and URL-encoded forms are taken too.",
          contentTypes: ["multipart/form-data", "application/json", "application/x-www-form-urlencoded"],
        },
      })
      .input(applicationInput)
      .output(applicationReceipt)
      .mutation(({ ctx, input }) => submit(ctx.intake, application, input, ctx.call)),
  }),
});

/** What the typed client is typed by. */
export type AppRouter = typeof appRouter;

/** What tRPC keeps of a procedure. Not all of it is in its types, so its version is pinned. */
interface Built {
  readonly _def: Pick<ProcedureEntry, "output" | "resolver"> & {
    readonly meta: Meta;
    readonly inputs: readonly z.ZodType[];
  };
}

export const procedures: ReadonlyMap<string, ProcedureEntry> = new Map(
  Object.entries(appRouter._def.procedures as unknown as Record<string, Built>).map(([path, { _def }]) => {
    const { meta, inputs, output, resolver } = _def;
    const [input] = inputs;
    // A procedure without these would be reachable by one door only; better not to start.
    if (meta.openapi === undefined || input === undefined || output === undefined)
      throw new Error(`${path} lacks its openapi meta, its input or its output.`);
    const { method, path: url, contentTypes = ["application/json"] } = meta.openapi;
    return [path, { path, method, url, contentTypes, alsoWrong: meta.alsoWrong, input, output, resolver }];
  }),
);
