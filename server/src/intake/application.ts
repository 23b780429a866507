// What an application adds to the path of a submission: its record and its receipt. Its resume was judged when the body
// was read.
import type { ApplicationInput, ApplicationReceipt } from "@submissions/shared/application";
import { valuesOf } from "../field-values.ts";
import type { Feature } from "./submit.ts";

export const application: Feature<ApplicationInput, ApplicationReceipt> = {
  procedure: "applications.submit",
  record: (input, { received, resume, more }) => ({
    ...received,
    kind: "application",
    ...valuesOf("application", input),
    resume,
    more,
  }),
  delivery: "awaited",
  receipt: ({ reference, confirmationEmailSent }) => ({
    message: "Thank you. We received your application, and our team will contact you by e-mail.",
    applicationId: reference,
    confirmationEmailSent,
  }),
};
