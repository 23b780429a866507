// What the OpenAPI document shows of each operation: bodies that are accepted as they stand, the issues of a body with
// mistakes, and the receipt. Tests compare them with the schemas.
import { applicationInput } from "@submissions/shared/application";
import type { Issue } from "@submissions/shared/faults";
import { inquiryInput } from "@submissions/shared/inquiry";
import { subscribeInput } from "@submissions/shared/subscription";
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

const inquiry = {
  name: "Ann Buyer",
  company: "Example Speech Ltd",
  email: "ann@example.org",
  selectedPackageIds: ["en-GB-scottish", "de-AT"],
};

const application = {
  fullName: "Ana Souza",
  email: "ana@example.org",
  position: "Accent annotator",
  phone: "+351 912 345 678",
  company: "Example Studio",
  availability: "From March, 20 hours a week",
  accent: "Portuguese (Lisbon)",
  portfolioUrl: "https://ana.example.org/work",
  resumeUrl: "https://ana.example.org/resume.pdf",
  coverLetter: "Dear team,\n\nI have annotated speech for six years.",
};

export const examples: Readonly<Record<string, OperationExamples>> = {
  submitInquiry: {
    complete: inquiry,
    minimal: { name: inquiry.name, email: inquiry.email, selectedPackageIds: ["de-AT"] },
    issues: issuesIn(inquiryInput, { ...inquiry, email: "ann@example", selectedPackageIds: [] }),
    receipt: {
      message: "Thank you. We received your inquiry, and our sales team will contact you by e-mail.",
      inquiryId: "INQ-20261121-042137",
      confirmationEmailSent: true,
    },
  },
  subscribeToNewsletter: {
    complete: { email: "reader@example.org", source: "footer" },
    minimal: { email: "reader@example.org" },
    issues: issuesIn(subscribeInput, { email: "reader" }),
    receipt: {
      message:
        "Thank you for subscribing. Please look into your inbox: the welcome e-mail holds a link to confirm your address.",
    },
  },
  submitApplication: {
    complete: application,
    minimal: { fullName: application.fullName, email: application.email, position: application.position },
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
