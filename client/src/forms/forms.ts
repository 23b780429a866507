// The three forms as elements, and all that the bundle exports. Loading it is enough: it defines them.
import type { FormName } from "@submissions/shared/forms/form-fields";
import type { ReceiptDetail } from "./send-form.ts";
import { SubmissionForm, type RefusalDetail } from "./submission-form.ts";

export type { Issue } from "@submissions/shared/faults";
export type { PackageChoice } from "@submissions/shared/forms/form-state";
export type { FormStrings } from "@submissions/shared/forms/form-strings";
export type { SubmissionError } from "../sdk/submission-error.ts";
export type { StringsOverride } from "./form-languages.ts";
export type { ReceiptDetail } from "./send-form.ts";
export type { FormValues, RefusalDetail, SubmissionForm } from "./submission-form.ts";

/** `<inquiry-form>`: a buyer asks about packages. */
export class InquiryForm extends SubmissionForm {
  protected readonly formName: FormName = "inquiry";
}

/** `<newsletter-form>`: someone subscribes to the newsletter. */
export class NewsletterForm extends SubmissionForm {
  protected readonly formName: FormName = "newsletter";
}

/** `<application-form>`: someone applies for a job, with a resume or without. */
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
    /** The service took a submission. Prevent its default, and the form does not show the receipt. */
    "submission-accepted": CustomEvent<ReceiptDetail>;
    /** A submission was not taken, or not even sent. */
    "submission-refused": CustomEvent<RefusalDetail>;
  }
}

const elements = {
  "inquiry-form": InquiryForm,
  "newsletter-form": NewsletterForm,
  "application-form": ApplicationForm,
};

// Not on servers; and a page may load this twice, by an import and by a script tag.
for (const [name, element] of Object.entries(elements)) {
  if (globalThis.customElements && !customElements.get(name)) customElements.define(name, element);
}
