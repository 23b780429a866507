// The forms as elements. Importing this file defines them; on servers it does nothing.
import type { FormName } from "@submissions/shared/forms/form-fields";
import type { ReceiptDetail } from "./send-form.ts";
import { SubmissionForm, type RefusalDetail } from "./submission-form.ts";

export type { Issue } from "@submissions/shared/faults";
export type { OwnField } from "@submissions/shared/forms/own-fields";
export type { PackageChoice } from "@submissions/shared/forms/form-state";
export type { FormStrings } from "@submissions/shared/forms/form-strings";
export type { SubmissionError } from "../sdk/submission-error.ts";
export type { StringsOverride } from "@submissions/shared/forms/override-strings";
export type { ReceiptDetail } from "./send-form.ts";
export type { FormValues } from "./form-element.ts";
export type { RefusalDetail, SubmissionForm } from "./submission-form.ts";

/** `<inquiry-form>`: a buyer asks about packages. */
export class InquiryForm extends SubmissionForm {
  protected readonly formName: FormName = "inquiry";
}

/** `<newsletter-form>`: a reader subscribes to the newsletter. */
export class NewsletterForm extends SubmissionForm {
  protected readonly formName: FormName = "newsletter";
}

/** `<application-form>`: an applicant applies for a job, with a resume or without. */
export class ApplicationForm extends SubmissionForm {
  protected readonly formName: FormName = "application";
}

declare global {
  interface HTMLElementTagNameMap {
    "inquiry-form": InquiryForm;
    "newsletter-form": NewsletterForm;
    "application-form": ApplicationForm;
  }
  interface GlobalEventHandlersEventMap {
    /** The service accepted a submission. After `preventDefault()` the form does not show the receipt. */
    "submission-accepted": CustomEvent<ReceiptDetail>;
    /** A submission was refused, or not sent. */
    "submission-refused": CustomEvent<RefusalDetail>;
  }
}

const elements = {
  "inquiry-form": InquiryForm,
  "newsletter-form": NewsletterForm,
  "application-form": ApplicationForm,
} satisfies Record<`${FormName}-form`, unknown>;

// Servers have no elements. A page may load this twice, by an import and by a script tag.
for (const [name, element] of Object.entries(elements)) {
  if (globalThis.customElements && !customElements.get(name)) customElements.define(name, element);
}
