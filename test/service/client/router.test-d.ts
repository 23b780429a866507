// The router type that the client publishes is written by hand. It accepts, answers and fails as the server's router.
import type { AppRouter, Beside, ErrorData, ErrorShape, FurtherFields } from "@submissions/client/router";
import type { AppRouter as ServerRouter } from "@submissions/server/router";
import { createTRPCClient, httpLink, TRPCClientError } from "@trpc/client";
import type { inferRouterError, inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import { expectTypeOf, test } from "vitest";

type Inputs = inferRouterInputs<AppRouter>;
type ServerInputs = inferRouterInputs<ServerRouter>;
/** What callers may send: null for an absent optional field, and lists that they do not change. */
type Sent<Input> = {
  readonly [Name in keyof Input]: undefined extends Input[Name]
    ? Input[Name] | null
    : Input[Name] extends string[]
      ? readonly string[]
      : Input[Name];
};
/** The fields of the server's input, and the names beside them. */
type Named<Input, ServerInput> = [
  fields: Pick<Input, keyof ServerInput & keyof Input>,
  beside: Exclude<keyof Input, keyof ServerInput>,
];
type Same<ServerInput, More> = [fields: Sent<ServerInput>, beside: More];
type Fields<Input> = Omit<Exclude<Input, { append(name: string, value: string): void }>, "resumeFile">;

const trpc = createTRPCClient<AppRouter>({ links: [httpLink({ url: "http://service.test/trpc" })] });
type Inquiry = Inputs["marketplace"]["inquiry"];
const inquiry: Inquiry = { name: "Ann", email: "ann@example.org", selectedPackageIds: ["de-AT"] };
const application = { fullName: "Ana", email: "ana@example.org", position: "Annotator" };

test("inputs are the server's, with what may stand beside them", () => {
  type Asked = ServerInputs["marketplace"]["inquiry"];
  type Subscribed = ServerInputs["newsletter"]["subscribe"];
  type Applied = Fields<ServerInputs["applications"]["submit"]>;
  type OfAll = keyof Beside;
  type Further = OfAll | keyof FurtherFields;
  expectTypeOf<Named<Inquiry, Asked>>().toEqualTypeOf<Same<Asked, Further>>();
  expectTypeOf<Named<Inputs["newsletter"]["subscribe"], Subscribed>>().toEqualTypeOf<Same<Subscribed, OfAll>>();
  expectTypeOf<Named<Fields<Inputs["applications"]["submit"]>, Applied>>().toEqualTypeOf<Same<Applied, Further>>();
  expectTypeOf<FormData>().toExtend<Inputs["applications"]["submit"]>();
  expectTypeOf<FormData>().toExtend<ServerInputs["applications"]["submit"]>();
});

test("outputs are the server's", () => {
  expectTypeOf<inferRouterOutputs<AppRouter>>().toEqualTypeOf<inferRouterOutputs<ServerRouter>>();
});

test("errors are the server's", () => {
  expectTypeOf<inferRouterError<AppRouter>>().toEqualTypeOf<inferRouterError<ServerRouter>>();
  expectTypeOf<inferRouterError<AppRouter>>().toEqualTypeOf<ErrorShape>();
  expectTypeOf<TRPCClientError<AppRouter>["data"]>().toExtend<ErrorData | null | undefined>();
  expectTypeOf<NonNullable<TRPCClientError<AppRouter>["data"]>["issues"]>().toEqualTypeOf<ErrorData["issues"]>();
});

test("procedures are the same, and each is a mutation", () => {
  expectTypeOf<keyof AppRouter["_def"]["record"]>().toEqualTypeOf<keyof ServerRouter["_def"]["record"]>();
  expectTypeOf(trpc.marketplace.inquiry.mutate).toBeCallableWith(inquiry);
  expectTypeOf(trpc.newsletter.subscribe.mutate).toBeCallableWith({ email: "reader@example.org" });
  expectTypeOf(trpc.applications.submit.mutate).toBeCallableWith(new FormData());
  expectTypeOf(trpc.applications.submit.mutate).toBeCallableWith(application);
  const beside = { message: "Hello", utm_source: null, lang: "de", consentText: "2026-11" };
  expectTypeOf(trpc.marketplace.inquiry.mutate).toBeCallableWith({ ...inquiry, ...beside, company: null });
  expectTypeOf(trpc.applications.submit.mutate).toBeCallableWith({ ...application, ...beside });
});

test("wrong calls are errors of the compiler", () => {
  // @ts-expect-error a file in a plain object would become {}
  void trpc.applications.submit.mutate({ ...application, resumeFile: new Blob() });
  // @ts-expect-error misspelt
  void trpc.marketplace.inquiry.mutate({ ...inquiry, mesage: "Hello" });
  // @ts-expect-error a subscription keeps no further fields
  void trpc.newsletter.subscribe.mutate({ email: "reader@example.org", message: "Hello" });
  // @ts-expect-error a mutation is not a query
  void trpc.newsletter.subscribe.query;
});
