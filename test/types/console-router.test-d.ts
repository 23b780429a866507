// The console's router type in the client is written by hand. It takes, answers and fails as the server's router.
import type { ConsoleRouter as ServerRouter } from "@submissions/server/console";
import type { inferRouterError, inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import { expectTypeOf, test } from "vitest";
import type { ConsoleRouter } from "../../client/src/console/router-type.ts";

type Record_<Router extends { readonly _def: { readonly record: object } }> = Router["_def"]["record"];
type Kinds<Router extends { readonly _def: { readonly record: object } }> = {
  [Group in keyof Record_<Router>]: {
    [Name in keyof Record_<Router>[Group]]: Record_<Router>[Group][Name] extends {
      readonly _def: { readonly type: infer Type };
    }
      ? Type
      : never;
  };
};

test("inputs are the server's", () => {
  expectTypeOf<inferRouterInputs<ConsoleRouter>>().toEqualTypeOf<inferRouterInputs<ServerRouter>>();
});

test("outputs are the server's", () => {
  expectTypeOf<inferRouterOutputs<ConsoleRouter>>().toEqualTypeOf<inferRouterOutputs<ServerRouter>>();
});

test("errors are the server's", () => {
  expectTypeOf<inferRouterError<ConsoleRouter>>().toEqualTypeOf<inferRouterError<ServerRouter>>();
});

test("procedures have the same names, and are queries and mutations alike", () => {
  expectTypeOf<Kinds<ConsoleRouter>>().toEqualTypeOf<Kinds<ServerRouter>>();
  expectTypeOf<Kinds<ServerRouter>["session"]["me"]>().toEqualTypeOf<"query">();
  expectTypeOf<Kinds<ServerRouter>["inbox"]["triage"]>().toEqualTypeOf<"mutation">();
});
