// The type of the service's router, for tRPC's own client and its integrations. Written by hand, because the declarations
// of the server's router lead to packages that callers do not have. Its procedures are those of the client. A type test
// compares it with the server's. Types only.
import type { ErrorData } from "@submissions/shared/faults";
import type {
  TRPC_ERROR_CODE_NUMBER,
  TRPCBuiltRouter,
  TRPCDecorateCreateRouterOptions,
  TRPCMutationProcedure,
} from "@trpc/server";
import type { SubmissionsClient } from "./sdk/submissions-client.ts";

export type { ErrorData } from "@submissions/shared/faults";

/** What tRPC's client finds in `error.shape`: the message for a person, and the refusal in `data`. */
export interface ErrorShape {
  readonly message: string;
  /** The JSON-RPC number of the code. */
  readonly code: TRPC_ERROR_CODE_NUMBER;
  readonly data: ErrorData;
}

interface Types {
  ctx: object;
  meta: object;
  errorShape: ErrorShape;
  transformer: false;
}

type Mutation<Input, Output> = TRPCMutationProcedure<{
  input: Input;
  output: Output;
  meta: object;
  errorShape: ErrorShape;
}>;

/** `FormData` where there is a file: a file in a plain object would become `{}`. */
type WithoutFile<Input> = Input extends FormData ? Input : Omit<Input, "resumeFile">;

type MutationOf<Method> = Method extends (input: infer Input, options?: never) => Promise<infer Receipt>
  ? Mutation<WithoutFile<Input>, Receipt>
  : never;

/** The router of the service. */
export type AppRouter = TRPCBuiltRouter<
  Types,
  TRPCDecorateCreateRouterOptions<{
    -readonly [Group in keyof SubmissionsClient]: {
      [Name in keyof SubmissionsClient[Group]]: MutationOf<SubmissionsClient[Group][Name]>;
    };
  }>
>;
