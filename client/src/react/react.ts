// The forms as React components, and a hook for forms with inputs of their own. React does not set properties and events
// of custom elements while it hydrates, so effects do.
import "@submissions/client/forms";
import type {
  ApplicationForm as ApplicationElement,
  InquiryForm as InquiryElement,
  NewsletterForm as NewsletterElement,
  RefusalDetail,
  SubmissionForm,
} from "@submissions/client/forms";
import type { ApplicationReceipt, InquiryReceipt, SubscribeReceipt } from "@submissions/client";
import type { FormName } from "@submissions/shared/forms/form-fields";
import type { PackageChoice } from "@submissions/shared/forms/form-state";
import { createElement, useEffect, useImperativeHandle, useRef, useState, type ReactElement } from "react";
import { serverMarkup } from "#server-markup";
import type { FormProps, MarkupProps } from "./form-props.ts";

export type { FormProps } from "./form-props.ts";
export type { FormElementProps } from "./jsx.ts";
export {
  useSubmission,
  type FieldErrors,
  type Submission,
  type SubmissionName,
  type SubmissionOptions,
} from "./use-submission.ts";

/** Props of {@link InquiryForm}. */
export interface InquiryFormProps extends FormProps<InquiryReceipt, InquiryElement> {
  /** The packages to choose from; null: any identifier may be typed. By default those that the service offers, which servers do not load. */
  readonly packages?: readonly (string | PackageChoice)[] | null | undefined;
}

/** Props of {@link NewsletterForm}. */
export interface NewsletterFormProps extends FormProps<SubscribeReceipt, NewsletterElement> {
  /** Where the subscription comes from. */
  readonly source?: string | undefined;
}

/** Props of {@link ApplicationForm}. */
export type ApplicationFormProps = FormProps<ApplicationReceipt, ApplicationElement>;

/**
 * An inquiry about packages.
 *
 * @example
 * ```tsx
 * <InquiryForm endpoint="https://submissions.example.org" packages={["de-AT"]} onAccepted={({ inquiryId }) => show(inquiryId)} />
 * ```
 */
export const InquiryForm = (props: InquiryFormProps): ReactElement => useForm("inquiry", "inquiry-form", props);

/**
 * A subscription to the newsletter.
 *
 * @example
 * ```tsx
 * <NewsletterForm endpoint="https://submissions.example.org" source="footer" />
 * ```
 */
export const NewsletterForm = (props: NewsletterFormProps): ReactElement =>
  useForm("newsletter", "newsletter-form", props);

/**
 * A job application, with a resume or without.
 *
 * @example
 * ```tsx
 * <ApplicationForm endpoint="https://submissions.example.org" values={{ position: "Accent annotator" }} />
 * ```
 */
export const ApplicationForm = (props: ApplicationFormProps): ReactElement =>
  useForm("application", "application-form", props);

function useForm<Receipt, Element extends SubmissionForm>(
  form: FormName,
  tag: string,
  props: FormProps<Receipt, Element> & MarkupProps,
): ReactElement {
  const { endpoint, lang, id, className, source, values, fields, strings, packages, privacy, consent } = props;
  const { ref, children, onAccepted, onRefused } = props;
  const own = useRef<Element>(null);
  useImperativeHandle(ref, () => own.current!);
  // Setting what is set already changes nothing.
  useEffect(() => {
    Object.assign(own.current!, {
      ...(values && { values }),
      ...(fields && { fields }),
      ...(strings && { strings }),
      ...(packages !== undefined && { packages }),
    });
  });
  const handlers = useRef({ onAccepted, onRefused });
  useEffect(() => {
    handlers.current = { onAccepted, onRefused };
  });
  useEffect(() => {
    const element = own.current!;
    const accepted = (event: CustomEvent<Receipt>) => handlers.current.onAccepted?.(event.detail, event);
    const refused = (event: CustomEvent<RefusalDetail>) => handlers.current.onRefused?.(event.detail, event);
    const listeners = [
      ["submission-accepted", accepted as unknown as EventListener],
      ["submission-refused", refused as unknown as EventListener],
    ] as const;
    for (const [type, listener] of listeners) element.addEventListener(type, listener);
    return () => {
      for (const [type, listener] of listeners) element.removeEventListener(type, listener);
    };
  }, []);
  // The server writes the shadow root, which the parser takes out of the children. So hydration must find no children.
  const [hydrated, setHydrated] = useState(false);
  useEffect(() => setHydrated(true), []);
  const markup = serverMarkup?.(form, props);
  return createElement(
    tag,
    {
      endpoint,
      lang,
      id,
      source,
      privacy,
      consent,
      ...(className !== undefined && { class: className }),
      ref: own,
      suppressHydrationWarning: true,
      ...(markup !== undefined && {
        dangerouslySetInnerHTML: { __html: markup },
        // The element reads this attribute at once. When React hydrates, the effect above sets the same values, which
        // changes nothing. Values that were new to the element would replace what was typed until then.
        values: values && JSON.stringify(values),
        fields: fields && JSON.stringify(fields),
      }),
    },
    ...(hydrated && children !== undefined ? [createElement("div", { slot: "notice", key: "notice" }, children)] : []),
  );
}
