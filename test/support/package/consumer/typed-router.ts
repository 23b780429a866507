// A program with tRPC's own client and the service's router type. It is compiled, and never run.
import type { AppRouter, ErrorData } from "@submissions/client/router";
import {
  createTRPCClient,
  httpBatchLink,
  httpLink,
  isNonJsonSerializable,
  splitLink,
  TRPCClientError,
} from "@trpc/client";
import type { inferRouterInputs, inferRouterOutputs } from "@trpc/server";

const url = "http://127.0.0.1:3000/trpc";
const trpc = createTRPCClient<AppRouter>({
  links: [
    splitLink({
      condition: ({ input }) => isNonJsonSerializable(input),
      true: httpLink({ url }),
      false: httpBatchLink({ url }),
    }),
  ],
});

export const inquiry: inferRouterInputs<AppRouter>["marketplace"]["inquiry"] = {
  name: "Ann Buyer",
  email: "ann@example.org",
  selectedPackageIds: ["de-AT"],
};
const packages: readonly string[] = ["de-AT"];
export const campaign: typeof inquiry = {
  ...inquiry,
  company: null,
  selectedPackageIds: packages,
  message: "Dear team",
  utm_source: "ad",
  lang: "de",
  consentText: "2026-11",
};
export const inquire = (): Promise<inferRouterOutputs<AppRouter>["marketplace"]["inquiry"]> =>
  trpc.marketplace.inquiry.mutate(inquiry);
export const apply = async (form: FormData): Promise<string> =>
  (await trpc.applications.submit.mutate(form)).applicationId;
export const issuesOf = (error: TRPCClientError<AppRouter>): ErrorData["issues"] => error.data?.issues;

// A type that cannot be found silently becomes `any`, and would accept all of these.
// @ts-expect-error the list of packages is missing
void trpc.marketplace.inquiry.mutate({ name: "Ann", email: "ann@example.org" });
// @ts-expect-error a misspelt field
void trpc.marketplace.inquiry.mutate({ ...inquiry, compnay: "Example Speech" });
// @ts-expect-error a receipt has no such field
export const nothing = async (): Promise<unknown> => (await inquire()).nothing;
// @ts-expect-error a file in a plain object would become {}
void trpc.applications.submit.mutate({ fullName: "A", email: "a@b.org", position: "P", resumeFile: new Blob() });
// @ts-expect-error no such procedure
void trpc.newsletter.unsubscribe;
