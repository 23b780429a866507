// What TypeScript knows of the forms once they are imported.
import type {
  ApplicationForm,
  InquiryForm,
  NewsletterForm,
  ReceiptDetail,
  RefusalDetail,
} from "@submissions/client/forms";
import type * as components from "@submissions/client/react";
import type * as schemas from "@submissions/client/schemas";
import type { FormName } from "@submissions/shared/forms/form-fields";
import type { SubmissionKind } from "@submissions/shared/kinds";
import type { JSX } from "react";
import { expectTypeOf, test } from "vitest";

type Pascal<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${Capitalize<First>}${Pascal<Rest>}`
  : Capitalize<Name>;

test("elements have their classes", () => {
  expectTypeOf<HTMLElementTagNameMap["inquiry-form"]>().toEqualTypeOf<InquiryForm>();
  expectTypeOf<HTMLElementTagNameMap["newsletter-form"]>().toEqualTypeOf<NewsletterForm>();
  expectTypeOf<HTMLElementTagNameMap["application-form"]>().toEqualTypeOf<ApplicationForm>();
});

test("each form has an element, in JSX too, and a component", () => {
  expectTypeOf<Extract<keyof HTMLElementTagNameMap, `${string}-form`>>().toEqualTypeOf<`${FormName}-form`>();
  expectTypeOf<Extract<keyof JSX.IntrinsicElements, `${string}-form`>>().toEqualTypeOf<`${FormName}-form`>();
  expectTypeOf<Extract<keyof typeof components, `${string}Form`>>().toEqualTypeOf<`${Pascal<FormName>}Form`>();
});

test("each kind has its schema and that of its receipt", () => {
  type Kind = Uncapitalize<Pascal<SubmissionKind>> | "subscribe";
  expectTypeOf<Extract<keyof typeof schemas, `${string}Input`>>().toEqualTypeOf<`${Kind}Input`>();
  expectTypeOf<Extract<keyof typeof schemas, `${string}Receipt`>>().toEqualTypeOf<`${Kind}Receipt`>();
});

test("events have their details", () => {
  expectTypeOf<GlobalEventHandlersEventMap["submission-accepted"]["detail"]>().toEqualTypeOf<ReceiptDetail>();
  expectTypeOf<GlobalEventHandlersEventMap["submission-refused"]["detail"]>().toEqualTypeOf<RefusalDetail>();
});

test("properties take what the documentation says", () => {
  const form = {} as InquiryForm;
  expectTypeOf(form.strings).not.toBeAny();
  form.packages = ["de-AT"];
  form.packages = [{ id: "de-AT", title: "Austrian German" }];
  form.packages = null;
  form.strings = { fields: { name: { label: "Name of the buyer" } }, messages: { "Enter a telephone number.": "No." } };
  // @ts-expect-error There is no such field.
  form.strings = { fields: { nom: { label: "Nom" } } };
  form.values = { company: "Vozes", selectedPackageIds: ["de-AT"] };
});
