// Bodies that show how each operation is used: complete ones that are taken as they stand, one with mistakes for its true
// issues, and the receipt. Tests hold them to the schemas.
import { applicationInput, resumeField } from "@submissions/shared/application";
import type { Issue } from "@submissions/shared/faults";
import { inquiryInput } from "@submissions/shared/inquiry";
import { subscribeInput } from "@submissions/shared/subscription";
import type { z } from "zod";
import { issuesOf } from "../../rpc/failure.ts";
import type { Example } from "./document-types.ts";

/** What the document shows of one operation. */
export interface OperationExamples {
  /** Complete bodies by name; the first one is shown first. Files are left out. */
  readonly bodies: Readonly<Record<string, Example>>;
  /** What the schema says of a body with mistakes. */
  readonly issues: readonly Issue[];
  readonly receipt: unknown;
}

/** Stands for the bytes of the file where an example must be text. */
const exampleResume = "%PDF-1.7 (the bytes of the file)";

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

const examples: Readonly<Record<string, OperationExamples>> = {
  submitInquiry: {
    bodies: {
      complete: { summary: "Every field", value: inquiry },
      minimal: {
        summary: "Required fields only",
        value: { name: inquiry.name, email: inquiry.email, selectedPackageIds: ["de-AT"] },
      },
    },
    issues: issuesIn(inquiryInput, { ...inquiry, email: "ann@example", selectedPackageIds: [] }),
    receipt: {
      message: "Thank you. We have your inquiry and will answer by e-mail.",
      inquiryId: "INQ-20261121-042137",
      confirmationEmailSent: true,
    },
  },
  subscribeToNewsletter: {
    bodies: {
      complete: { summary: "Every field", value: { email: "reader@example.org", source: "footer" } },
      minimal: { summary: "Required fields only", value: { email: "reader@example.org" } },
    },
    issues: issuesIn(subscribeInput, { email: "reader" }),
    receipt: { message: "Thank you. Please check your inbox and confirm your subscription." },
  },
  submitApplication: {
    bodies: {
      complete: { summary: "Every field", value: application },
      minimal: {
        summary: "Required fields only",
        value: { fullName: application.fullName, email: application.email, position: application.position },
      },
    },
    issues: issuesIn(applicationInput, { ...application, fullName: "", portfolioUrl: "ana.example.org" }),
    receipt: {
      message: "Thank you. We have your application and will answer by e-mail.",
      applicationId: "APP-20261121-907715",
      confirmationEmailSent: true,
    },
  },
};

const none: OperationExamples = { bodies: {}, issues: [], receipt: undefined };

/** The examples of an operation. One without any is still documented; a test asks for them. */
export const examplesOf = (operationId: string): OperationExamples => examples[operationId] ?? none;

/** The complete bodies as a multipart form: the same, and one with the file first. */
export function multipartExamples({ bodies }: OperationExamples): Record<string, Example> {
  const withFile = Object.entries(bodies).slice(0, 1);
  return {
    ...Object.fromEntries(
      withFile.map(([, { value }]) => [
        "withResume",
        { summary: "Every field and the resume", value: { ...(value as object), [resumeField]: exampleResume } },
      ]),
    ),
    ...bodies,
  };
}

function issuesIn(schema: z.ZodType, body: unknown): readonly Issue[] {
  const parsed = schema.safeParse(body);
  return parsed.success ? [] : issuesOf(parsed.error);
}
