// What the OpenAPI document shows of each operation: bodies that are accepted as they stand, the issues of a body with
// mistakes, and the receipt. Tests compare them with the schemas.
import { applicationInput } from "@submissions/shared/application";
import { applicationFields } from "@submissions/shared/application-fields";
import type { Issue } from "@submissions/shared/faults";
import type { FieldTable } from "@submissions/shared/field-table";
import { inquiryInput } from "@submissions/shared/inquiry";
import { inquiryFields } from "@submissions/shared/inquiry-fields";
import { subscribeInput } from "@submissions/shared/subscription";
import { subscriptionFields } from "@submissions/shared/subscription-fields";
import type { z } from "zod";
import { issuesOf } from "../../rpc/failure.ts";

export interface OperationExamples {
  /** Every field but the file. */
  readonly complete: Readonly<Record<string, unknown>>;
  readonly minimal: Readonly<Record<string, unknown>>;
  /** What the schema says of a body with mistakes. */
  readonly issues: readonly Issue[];
  readonly receipt: unknown;
}

const exampleOf = (table: FieldTable) =>
  Object.fromEntries(Object.entries(table).flatMap(([name, { example }]) => (example ? [[name, example]] : [])));

const minimalOf = (table: FieldTable) =>
  Object.fromEntries(
    Object.entries(table).flatMap(([name, { rule, example }]) => (rule?.required && example ? [[name, example]] : [])),
  );

const inquiry = exampleOf(inquiryFields);
const application = exampleOf(applicationFields);

export const examples: Readonly<Record<string, OperationExamples>> = {
  submitInquiry: {
    complete: inquiry,
    minimal: { ...minimalOf(inquiryFields), selectedPackageIds: ["de-AT"] },
    issues: issuesIn(inquiryInput, { ...inquiry, email: "ann@example", selectedPackageIds: [] }),
    receipt: {
      message: "Thank you. We received your inquiry, and our sales team will contact you by e-mail.",
      inquiryId: "INQ-20261121-042137",
      confirmationEmailSent: true,
    },
  },
  subscribeToNewsletter: {
    complete: { ...exampleOf(subscriptionFields), source: "footer" },
    minimal: minimalOf(subscriptionFields),
    issues: issuesIn(subscribeInput, { email: "reader" }),
    receipt: {
      message:
        "Thank you for subscribing. Please look into your inbox: the welcome e-mail holds a link to confirm your address.",
    },
  },
  submitApplication: {
    complete: application,
    minimal: minimalOf(applicationFields),
    issues: issuesIn(applicationInput, { ...application, fullName: "", portfolioUrl: "ana.example.org" }),
    receipt: {
      message: "Thank you. We received your application, and our team will contact you by e-mail.",
      applicationId: "APP-20261121-907715",
      confirmationEmailSent: true,
    },
  },
};

function issuesIn(schema: z.ZodType, body: unknown): readonly Issue[] {
  const parsed = schema.safeParse(body);
  return parsed.success ? [] : issuesOf(parsed.error);
}
