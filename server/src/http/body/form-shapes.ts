// What the form of each procedure may hold, and how its fields become the procedure's input.
import { applicationInput, applicationTextFields } from "@submissions/shared/application";
import { packageIdsOf } from "@submissions/shared/forms/form-fields";
import { inquiryInput } from "@submissions/shared/inquiry";
import { subscribeInput } from "@submissions/shared/subscription";
import type { z } from "zod";

/** A form by its fields. */
export interface FormShape {
  /** Names of its text fields. */
  readonly texts: readonly string[];
  /** One of them that may come many times, as ticked boxes do. */
  readonly list?: string;
  readonly schema: z.ZodType;
  /** What the schema reads. */
  inputOf(form: FormData): object;
}

const packages = "selectedPackageIds" satisfies keyof typeof inquiryInput.shape;

/** The form that may hold a resume too. */
export const applicationForm: FormShape = {
  texts: applicationTextFields,
  schema: applicationInput,
  inputOf: (form) => form,
};

/** The forms by their procedures. */
export const formShapes: Readonly<Record<string, FormShape>> = {
  "marketplace.inquiry": {
    texts: Object.keys(inquiryInput.shape),
    list: packages,
    schema: inquiryInput,
    inputOf: (form) => ({ ...plain(form), [packages]: packageIdsOf(form.getAll(packages).map(String)) }),
  },
  "newsletter.subscribe": { texts: Object.keys(subscribeInput.shape), schema: subscribeInput, inputOf: plain },
  "applications.submit": applicationForm,
};

// A field that was sent twice becomes a list, which the schemas refuse by name.
function plain(form: FormData): Record<string, unknown> {
  const names = new Set(form.keys());
  return Object.fromEntries(
    [...names].map((name) => {
      const [value, ...more] = form.getAll(name);
      return [name, more.length === 0 ? value : [value, ...more]];
    }),
  );
}
