// A page's program that has the forms, and hears what becomes of them. It is compiled, and never run.
import { ApplicationForm, type FormStrings, type ReceiptDetail } from "@submissions/client/forms";

export const form = document.createElement("inquiry-form");
form.packages = ["de-AT", { id: "en-GB-scottish", title: "Scottish English" }];
form.strings = { fields: { name: { label: "Name of the buyer" } } };
form.addEventListener("submission-accepted", ({ detail }) => show(detail));
form.addEventListener("submission-refused", ({ detail }) => console.error(detail.error?.code, detail.issues[0]?.path));

export const isApplication = (element: Element): element is ApplicationForm => element instanceof ApplicationForm;

function show({ message, inquiryId }: ReceiptDetail): void {
  console.log(message, inquiryId);
}

// What cannot be found silently becomes `any`, and would take all of these.
// @ts-expect-error a package is no number
form.packages = [1];
// @ts-expect-error there is no such text
export const nothing = (strings: FormStrings): unknown => strings.nothing;
