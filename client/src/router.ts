// The type of the service's router, for tRPC's own client and its integrations. Written by hand, because the declarations
// of the server's router lead to packages that callers do not have. A type test compares the two. Types only.
import type { ErrorData } from "@submissions/shared/faults";
import type {
  TRPC_ERROR_CODE_NUMBER,
  TRPCBuiltRouter,
  TRPCDecorateCreateRouterOptions,
  TRPCMutationProcedure,
} from "@trpc/server";
import type {
  Application,
  ApplicationReceipt,
  Inquiry,
  InquiryReceipt,
  Subscription,
  SubscribeReceipt,
} from "./sdk/submissions.ts";

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

/** The router of the service. */
export type AppRouter = TRPCBuiltRouter<
  Types,
  TRPCDecorateCreateRouterOptions<{
    marketplace: { inquiry: Mutation<Inquiry, InquiryReceipt> };
    newsletter: { subscribe: Mutation<Subscription, SubscribeReceipt> };
    applications: {
      /** `FormData` where there is a resume: a file in a plain object would become `{}`. */
      submit: Mutation<FormData | Omit<Application, "resumeFile">, ApplicationReceipt>;
    };
  }>
>;
