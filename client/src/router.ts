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

/** What every submission may say beside its fields. */
export interface Beside {
  /** The language of the form: of the mails and pages that the person gets. English unless told. */
  readonly lang?: string | undefined;
  /** Version of the privacy notice that the person was shown. At most 100 characters. */
  readonly consentText?: string | undefined;
  /** Address of the page that showed the notice; kept without query and fragment. */
  readonly consentPage?: string | undefined;
  /** The solution of a challenge, where the service asks for proofs of work. */
  readonly altcha?: string | undefined;
}

/**
 * The usual further fields of an inquiry or application. The service keeps others too; here they are errors of the compiler,
 * because most of them are misspelt fields. Declare yours by name: `const input: Input & { budget: string }`.
 */
export interface FurtherFields {
  /** What the person writes; the team is shown it first. At most 2,000 characters. */
  readonly message?: string | null | undefined;
  readonly utm_source?: string | null | undefined;
  readonly utm_medium?: string | null | undefined;
  readonly utm_campaign?: string | null | undefined;
  readonly utm_term?: string | null | undefined;
  readonly utm_content?: string | null | undefined;
}

/** `FormData` where there is a file: a file in a plain object would become `{}`. */
type Sent<Input, More> = Input extends FormData ? Input : Omit<Input, "resumeFile"> & More;

type MutationOf<Method, More> = Method extends (input: infer Input, options?: never) => Promise<infer Receipt>
  ? Mutation<Sent<Input, More>, Receipt>
  : never;

/** The router of the service. */
export type AppRouter = TRPCBuiltRouter<
  Types,
  TRPCDecorateCreateRouterOptions<{
    -readonly [Group in keyof SubmissionsClient]: {
      [Name in keyof SubmissionsClient[Group]]: MutationOf<
        SubmissionsClient[Group][Name],
        Group extends "newsletter" ? Beside : Beside & FurtherFields
      >;
    };
  }>
>;
