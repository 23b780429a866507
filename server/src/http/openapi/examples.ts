// Examples of the OpenAPI document: bodies, the issues of a body with mistakes, receipts. Tests compare them to schemas.
import type { Issue } from "@submissions/shared/faults";
import { exampleOf, type FieldTable } from "@submissions/shared/field-table";
import { kindOf, type SubmissionKind, submissionKinds } from "@submissions/shared/kinds";
import { subscribed, subscribeInput } from "@submissions/shared/subscription";
import { subscriptionFields } from "@submissions/shared/subscription-fields";
import type { z } from "zod";
import { serverKindOf } from "../../kinds.ts";
import { issuesOf } from "../../rpc/failure.ts";

export interface OperationExamples {
  /** Every field but the file. */
  readonly complete: Readonly<Record<string, unknown>>;
  readonly minimal: Readonly<Record<string, unknown>>;
  /** What the schema says of a body with mistakes. */
  readonly issues: readonly Issue[];
  readonly receipt: unknown;
}

const minimalOf = (table: FieldTable) =>
  Object.fromEntries(
    Object.entries(table).flatMap(([name, { rule, example }]) => (rule?.required && example ? [[name, example]] : [])),
  );

function examplesOf(kind: SubmissionKind): OperationExamples {
  const { fields, words, idName, prefix } = kindOf(kind);
  const { input, mistakes } = serverKindOf(kind);
  const complete = exampleOf(fields);
  return {
    complete,
    minimal: minimalOf(fields),
    issues: issuesIn(input, { ...complete, ...mistakes }),
    receipt: { message: words.en.received, [idName]: `${prefix}-20261121-042137`, confirmationEmailSent: true },
  };
}

export const examples: Readonly<Record<string, OperationExamples>> = {
  ...Object.fromEntries(submissionKinds.map((kind) => [serverKindOf(kind).operation.operationId, examplesOf(kind)])),
  subscribeToNewsletter: {
    complete: { ...exampleOf(subscriptionFields), source: "footer" },
    minimal: minimalOf(subscriptionFields),
    issues: issuesIn(subscribeInput, { email: "reader" }),
    receipt: { message: subscribed.double },
  },
};

function issuesIn(schema: z.ZodType, body: unknown): readonly Issue[] {
  const parsed = schema.safeParse(body);
  return parsed.success ? [] : issuesOf(parsed.error);
}
