// The form as HTML for server rendering, in a declarative shadow root: it can be read and filled in before any script
// has loaded, and without one.
import { fieldOfKind } from "@submissions/shared/field-table";
import { formAction, formMarkup } from "@submissions/shared/forms/form-markup";
import { forms, type FormName } from "@submissions/shared/forms/form-fields";
import { formTexts } from "@submissions/shared/forms/form-texts";
import { overriddenStrings } from "@submissions/shared/forms/override-strings";
import { html } from "@submissions/shared/html";
import { languageAmong } from "@submissions/shared/language";
import type { ServerMarkup } from "./form-props.ts";

/** Writes the content of a form's element. */
export const serverMarkup: ServerMarkup = (
  form,
  { endpoint, lang, strings = {}, values = {}, fields, packages, source, ...shown },
) => {
  const base = endpoint.replace(/\/+$/, "");
  const state = {
    action: formAction(form, base),
    values: { source: source ?? "", ...values },
    fields,
    issues: [],
    packages: choices(form, packages),
    strings: overriddenStrings(formTexts.get(languageAmong(lang, formTexts))!, strings),
    privacy: { url: shown.privacy, consent: shown.consent },
    // The page may be the same for every visitor, so it has no key of its own.
    idempotencyKey: "",
  };
  return html`<template shadowrootmode="open"
    ><link rel="stylesheet" href="${base}/forms.css" />${formMarkup(form, state)}</template
  >`.text;
};

function choices(form: FormName, packages: Parameters<ServerMarkup>[1]["packages"]) {
  if (packages === null || fieldOfKind(forms[form].fields, "packages") === undefined) return null;
  return packages?.map((one) => (typeof one === "string" ? { id: one, title: one } : one));
}
