// What a form shows. Types only.
import type { Issue } from "../faults.ts";
import type { PackageChoice } from "./form-fields.ts";
import type { FormStrings } from "./form-strings.ts";
import type { OwnField } from "./own-fields.ts";

export type { PackageChoice } from "./form-fields.ts";

/** The content of a form and its problems. */
export interface FormState {
  /** The address that the form posts to. */
  readonly action: string;
  /** What is in the fields, by their names; `source` of a newsletter too. */
  readonly values: Readonly<Record<string, string | readonly string[]>>;
  /** Problems of a submission that was refused. */
  readonly issues: readonly Issue[];
  /** The catalogue to choose from; null: any identifier may be typed; none: no question; undefined: not yet known. */
  readonly packages: readonly PackageChoice[] | null | undefined;
  /** The openings to apply for; null or absent: any position may be typed. */
  readonly openings?: readonly PackageChoice[] | null | undefined;
  /** Fields of the page's own. */
  readonly fields?: readonly OwnField[] | undefined;
  /** What else is sent with the form, by its names: fields of a page that is not known. */
  readonly hidden?: Readonly<Record<string, string>> | undefined;
  readonly strings: FormStrings;
  /** The same for every try of one submission, another one for the next. */
  readonly idempotencyKey: string;
  /** Where the form leads after success without script (`nextField`); absent: to the service's thanks. */
  readonly next?: string | undefined;
  /** Why a submission was refused, beside its issues, in the language of the form. */
  readonly message?: string | undefined;
  /** The privacy notice; absent: none. */
  readonly privacy?: FormPrivacy | undefined;
  /** The submission was accepted: this is shown in place of the form. */
  readonly receipt?: FormReceipt | undefined;
}

/** What a form says of the use of what is sent. */
export interface FormPrivacy {
  /** Address of the notice, for the form's own line above the button; absent: the page may put one there. */
  readonly url?: string | undefined;
  /** Version of the text that is shown. It is sent with the form; absent: nothing is. */
  readonly consent?: string | undefined;
  /** The page that shows the form, sent with the version. A script that sends the form knows it better. */
  readonly page?: string | undefined;
}

/** What is shown of a receipt. */
export interface FormReceipt {
  /** As the service sent it. */
  readonly message: string;
  /** What the person may quote; a subscription has none. */
  readonly reference?: string | undefined;
  /** Where the mail went. */
  readonly email?: string | undefined;
}
