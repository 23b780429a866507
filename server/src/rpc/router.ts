// The one router. Both doors and the OpenAPI document are made from it.
import { applicationInput, applicationReceipt } from "@submissions/shared/application";
import type { Issue } from "@submissions/shared/faults";
import { inquiryInput, inquiryReceipt } from "@submissions/shared/inquiry";
import { packageIdsMax, textLengthMax } from "@submissions/shared/limits";
import { subscribeInput, subscribeReceipt } from "@submissions/shared/subscription";
import { cleanLine } from "@submissions/shared/text";
import type { AnyTRPCProcedure } from "@trpc/server";
import type { OpenApiMeta } from "trpc-to-openapi";
import { Fault } from "../fault.ts";
import { application } from "../intake/application.ts";
import { inquiry, unknownPackages } from "../intake/inquiry.ts";
import type { Intake } from "../intake/intake.ts";
import { submit } from "../intake/submit.ts";
import { subscribe } from "../intake/subscription.ts";
import { type Context, procedure, type stockProcedure, trpc } from "./procedure.ts";

/** Builds the router from either form of procedures. */
export const routerOf = (base: typeof stockProcedure) =>
  trpc.router({
    marketplace: trpc.router({
      inquiry: base
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
      subscribe: base
        .meta({
          openapi: {
            method: "POST",
            path: "/api/newsletter/subscribe",
            operationId: "subscribeToNewsletter",
            summary: "Subscribe to the newsletter",
            description:
              "Stores a subscription and sends a welcome mail. Every address is answered alike, known or not.",
          },
        })
        .input(subscribeInput)
        .output(subscribeReceipt)
        .mutation(({ ctx, input }) => subscribe(ctx.intake, input, ctx.call)),
    }),
    applications: trpc.router({
      submit: base
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

export const appRouter = routerOf(procedure);

/** What the typed client is typed by. */
export type AppRouter = typeof appRouter;

// Where the schema refuses something else, the identifiers that the catalogue lacks are reported with it.
function unknownRawPackages(intake: Intake, raw: { readonly selectedPackageIds?: unknown }): readonly Issue[] {
  const ids = raw.selectedPackageIds;
  if (!Array.isArray(ids) || ids.length > packageIdsMax) return [];
  const texts = ids.map((id: unknown) =>
    typeof id === "string" && id.length <= textLengthMax.packageId ? cleanLine(id) : "",
  );
  return unknownPackages(intake, texts);
}

/** One procedure, as its meta describes it. */
export interface ProcedureEntry {
  /** `marketplace.inquiry` */
  readonly path: string;
  readonly method: string;
  /** `/api/marketplace/inquiry` */
  readonly url: string;
  readonly contentTypes: readonly string[];
  readonly call: AnyTRPCProcedure;
}

type Described = AnyTRPCProcedure & { readonly _def: { readonly meta: OpenApiMeta; readonly output?: unknown } };

export const procedures: ReadonlyMap<string, ProcedureEntry> = new Map(
  Object.entries(appRouter._def.procedures as unknown as Record<string, Described>).map(([path, call]) => {
    const { openapi } = call._def.meta;
    const { output } = call._def;
    // A procedure without these would be reachable by one door only; better not to start.
    if (openapi === undefined || output === undefined) throw new Error(`${path} lacks its openapi meta or its output.`);
    const { method, path: url, contentTypes = ["application/json"] } = openapi;
    return [path, { path, method, url, contentTypes, call }];
  }),
);

/**
 * Calls a procedure.
 *
 * @param getRawInput called when the procedure wants its input; it is not called for a caller that is refused before
 * @param batchIndex the position of the call in its batch
 * @throws Fault `notFound` for an unknown path, which is not counted: it is a stranger's text and must not become a label
 */
export async function callProcedure(
  path: string,
  ctx: Context,
  getRawInput: () => Promise<unknown>,
  batchIndex = 0,
): Promise<unknown> {
  const entry = procedures.get(path);
  if (entry === undefined) throw new Fault("notFound");
  return entry.call({ path, type: "mutation", ctx, getRawInput, signal: undefined, batchIndex });
}
