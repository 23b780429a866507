// What an application adds to the path of a submission: its record and its receipt. Its resume was judged when the body
// was read.
import type { ApplicationInput, ApplicationReceipt } from "@submissions/shared/application";
import type { Feature } from "./submit.ts";

export const application: Feature<ApplicationInput, ApplicationReceipt> = {
  procedure: "applications.submit",
  record: (input, { received, resume }) => ({
    ...received,
    kind: "application",
    name: input.fullName,
    position: input.position,
    phone: input.phone ?? null,
    company: input.company ?? null,
    availability: input.availability ?? null,
    accent: input.accent ?? null,
    portfolioUrl: input.portfolioUrl ?? null,
    resumeUrl: input.resumeUrl ?? null,
    coverLetter: input.coverLetter ?? null,
    resume,
  }),
  delivery: "awaited",
  receipt: ({ reference, confirmationEmailSent }) => ({
    message: "Thank you. We received your application, and our team will contact you by e-mail.",
    applicationId: reference,
    confirmationEmailSent,
  }),
};
