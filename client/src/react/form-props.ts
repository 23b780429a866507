// What the form components accept. Types only.
import type { FormName } from "@submissions/shared/forms/form-fields";
import type { OwnField } from "@submissions/shared/forms/own-fields";
import type { PackageChoice } from "@submissions/shared/forms/form-state";
import type { StringsOverride } from "@submissions/shared/forms/override-strings";
import type { ReactNode, Ref } from "react";
import type { FormValues, RefusalDetail, SubmissionForm } from "../forms/forms.ts";

/** Props that all three forms have. */
export interface FormProps<Receipt, Element extends SubmissionForm> {
  /** Base address of the service. A page of another origin must be listed in the service's `CORS_ORIGINS`. */
  readonly endpoint: string;
  /** Language of the form, `en`, `de` or another one of the service. By default that of the nearest `lang`; servers cannot know it. */
  readonly lang?: string | undefined;
  /** What the fields hold at first, by their names. Other values replace what was typed. */
  readonly values?: FormValues | undefined;
  /** Fields of your own, behind those of the form. */
  readonly fields?: readonly OwnField[] | undefined;
  /** Words that differ from the form's own. */
  readonly strings?: StringsOverride | undefined;
  /** Address of the privacy notice, for a line of the form's own above the button. Children take its place. */
  readonly privacy?: string | undefined;
  /** Version of the text that the form shows about privacy. It is kept with the submission, with page and time. */
  readonly consent?: string | undefined;
  readonly id?: string | undefined;
  readonly className?: string | undefined;
  readonly ref?: Ref<Element> | undefined;
  /** Shown in the form above its button: a privacy notice, for example. Rendered in browsers only. */
  readonly children?: ReactNode;
  /** Called when the service has accepted the submission. After `event.preventDefault()` the form does not show the receipt. */
  readonly onAccepted?: ((receipt: Receipt, event: CustomEvent<Receipt>) => void) | undefined;
  /** Called when the submission was refused, or not sent because of its fields. */
  readonly onRefused?: ((refusal: RefusalDetail, event: CustomEvent<RefusalDetail>) => void) | undefined;
}

/** What the markup depends on. */
export interface MarkupProps extends Pick<
  FormProps<unknown, SubmissionForm>,
  "endpoint" | "lang" | "strings" | "values" | "fields" | "privacy" | "consent"
> {
  readonly packages?: readonly (string | PackageChoice)[] | null | undefined;
  readonly source?: string | undefined;
}

/** Writes the content of a form's element on a server. */
export type ServerMarkup = (form: FormName, props: MarkupProps) => string;
