// A form in a page: as its element with a declarative shadow root, which works before and without any script, or plain.
import { randomUUID } from "node:crypto";
import { forms, type FormName } from "@submissions/shared/forms/form-fields";
import { formMarkup } from "@submissions/shared/forms/form-markup";
import type { FormState } from "@submissions/shared/forms/form-state";
import { english } from "@submissions/shared/forms/form-strings";
import { html, type Markup } from "@submissions/shared/html";
import { formsStyle } from "./assets.ts";
import { packagesWith, type Site } from "./site.ts";

const siteSource = "front page";

export type Filled = Partial<
  Pick<FormState, "values" | "hidden" | "issues" | "message" | "idempotencyKey" | "packages" | "strings" | "next">
>;

const stateOf = (form: FormName, site: Site, root: string, filled: Filled): FormState => ({
  action: root + forms[form].path.slice(1),
  values: { source: siteSource },
  issues: [],
  packages: packagesWith(site, []),
  openings: site.openings(),
  strings: english,
  idempotencyKey: randomUUID(),
  // The page of a refused form shows the same line, but this one showed it first.
  privacy: site.privacy === null ? {} : { ...site.privacy, page: `${site.publicUrl()}/` },
  ...filled,
});

/** A form as its element. The forms' script makes it better. */
export function formElement(form: FormName, site: Site, root: string, filled: Filled = {}): Markup {
  const content = html`<template shadowrootmode="open"
    ><link
      rel="stylesheet"
      href="${root}${formsStyle.href}"
    />${formMarkup(form, stateOf(form, site, root, filled))}</template
  >`;
  const note =
    site.proofOfWork &&
    html`<noscript><p class="note">${site.words(filled.strings?.lang).pages.needsScript}</p></noscript>`;
  const name = `${form}-form`;
  const { source = siteSource } = filled.values ?? {};
  const { privacy } = site;
  const consent = privacy && html` privacy="${privacy.url}" consent="${privacy.consent}"`;
  const attributes = html`endpoint="${root}"${form === "newsletter" && html` source="${String(source)}"`}${consent}`;
  return html`<div>${note}<${name} ${attributes}>${content}</${name}></div>`;
}

/** A form outside a shadow root. There the problems above the form can be links to their fields without script. */
export const plainForm = (form: FormName, site: Site, root: string, filled: Filled): Markup =>
  html`<div class="plain-form">${formMarkup(form, stateOf(form, site, root, filled))}</div>`;
