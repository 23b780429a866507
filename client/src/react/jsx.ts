// The elements in JSX, for React pages that use them without the components. Types only.
import type { FormName } from "@submissions/shared/forms/form-fields";
import type { PackageChoice } from "@submissions/shared/forms/form-state";
import type { OwnField } from "@submissions/shared/forms/own-fields";
import type { StringsOverride } from "@submissions/shared/forms/override-strings";
import type { DetailedHTMLProps, HTMLAttributes } from "react";
import type { FormValues, ReceiptDetail, RefusalDetail, SubmissionForm } from "../forms/forms.ts";

/**
 * Attributes of an element in JSX. React 19 sets lists and objects as properties; React 18, and servers with either, take
 * attributes, so JSON. Events are those of React 19.
 */
export interface FormElementProps<Element extends SubmissionForm> extends DetailedHTMLProps<
  HTMLAttributes<Element>,
  Element
> {
  /** React 18 passes on `class`, and not `className`. */
  readonly class?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly values?: FormValues | string | undefined;
  readonly fields?: readonly OwnField[] | string | undefined;
  readonly strings?: StringsOverride | undefined;
  readonly privacy?: string | undefined;
  readonly consent?: string | undefined;
  readonly "onsubmission-accepted"?: ((event: CustomEvent<ReceiptDetail>) => void) | undefined;
  readonly "onsubmission-refused"?: ((event: CustomEvent<RefusalDetail>) => void) | undefined;
}

/** What single forms have beside. */
interface OwnProps {
  readonly "inquiry-form": { readonly packages?: readonly (string | PackageChoice)[] | string | null | undefined };
  readonly "newsletter-form": { readonly source?: string | undefined };
}

type Elements = {
  readonly [Name in `${FormName}-form`]: FormElementProps<HTMLElementTagNameMap[Name]> &
    (Name extends keyof OwnProps ? OwnProps[Name] : unknown);
};

declare module "react" {
  namespace JSX {
    interface IntrinsicElements extends Elements {}
  }
}
