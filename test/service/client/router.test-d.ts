// The router type that the client publishes is written by hand. It accepts, answers and fails as the server's router.
import type { AppRouter, ErrorData, ErrorShape } from "@submissions/client/router";
import type { AppRouter as ServerRouter } from "@submissions/server/router";
import { createTRPCClient, httpLink, TRPCClientError } from "@trpc/client";
import type { inferRouterError, inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import { expectTypeOf, test } from "vitest";

type Inputs = inferRouterInputs<AppRouter>;
type ServerInputs = inferRouterInputs<ServerRouter>;
type Fields<Input> = Omit<Exclude<Input, { append(name: string, value: string): void }>, "resumeFile">;

const trpc = createTRPCClient<AppRouter>({ links: [httpLink({ url: "http://service.test/trpc" })] });
type Inquiry = Inputs["marketplace"]["inquiry"];
const inquiry: Inquiry = { name: "Ann", email: "ann@example.org", selectedPackageIds: ["de-AT"] };
const application = { fullName: "Ana", email: "ana@example.org", position: "Annotator" };

test("inputs are the server's", () => {
  expectTypeOf<Inputs["marketplace"]>().toEqualTypeOf<ServerInputs["marketplace"]>();
  expectTypeOf<Inputs["newsletter"]>().toEqualTypeOf<ServerInputs["newsletter"]>();
  expectTypeOf<Fields<Inputs["applications"]["submit"]>>().toEqualTypeOf<
    Fields<ServerInputs["applications"]["submit"]>
  >();
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
});

test("wrong calls are errors of the compiler", () => {
  // @ts-expect-error a file in a plain object would become {}
  void trpc.applications.submit.mutate({ ...application, resumeFile: new Blob() });
  // @ts-expect-error a mutation is not a query
  void trpc.newsletter.subscribe.query;
});
