// A form within a page: its element, with the whole form in a declarative shadow root, so that it works before, and
// without, any script.
import { randomUUID } from "node:crypto";
import { formPaths, idempotencyKeyField, type FormName } from "@submissions/shared/forms/form-fields";
import { formMarkup } from "@submissions/shared/forms/form-markup";
import type { FormState } from "@submissions/shared/forms/form-state";
import { english } from "@submissions/shared/forms/form-strings";
import { formStyle } from "@submissions/shared/forms/form-style";
import { escapedElsewhere, html, type Markup } from "@submissions/shared/html";
import { assetOf } from "./asset.ts";
import { packagesWith, type Site } from "./site.ts";

/** The forms' style sheet, for their shadow roots. */
export const formsStyle = assetOf("/forms.css", Buffer.from(formStyle.trim()));

/** Said to people without script where proofs of work are asked for. */
export const needsScript =
  "This form needs JavaScript, to make sure that no program is sending it. Please turn it on, and send the form again.";

/** Where subscriptions of the site come from. */
const siteSource = "front page";

type Filled = Partial<Pick<FormState, "values" | "issues" | "message" | "idempotencyKey" | "packages">>;

/** Writes a form, with what is in it and what is wrong with it. */
export function formElement(form: FormName, site: Site, root: string, filled: Filled = {}): Markup {
  const markup = formMarkup(form, {
    action: root + formPaths[form].slice(1),
    values: { source: siteSource },
    issues: [],
    packages: site.packages,
    strings: english,
    idempotencyKey: randomUUID(),
    ...filled,
  });
  const content = html`<template shadowrootmode="open"
    ><link rel="stylesheet" href="${root}${formsStyle.href}" />${escapedElsewhere(markup)}</template
  >`;
  const note = site.proofOfWork && html`<noscript><p class="note">${needsScript}</p></noscript>`;
  return html`<div>${note}${elements[form](content, root, site)}</div>`;
}

type Element = (content: Markup, root: string, site: Site) => Markup;

// Templates, because the name of an element is nothing that could be filled in. The attributes are for the script, which
// asks the service for its catalogue and is told of the sample here.
const elements: Readonly<Record<FormName, Element>> = {
  inquiry: (content, root, { catalogue, packages }) =>
    catalogue === null
      ? html`<inquiry-form endpoint="${root}" packages="${JSON.stringify(packages)}">${content}</inquiry-form>`
      : html`<inquiry-form endpoint="${root}">${content}</inquiry-form>`,
  newsletter: (content, root) =>
    html`<newsletter-form endpoint="${root}" source="${siteSource}">${content}</newsletter-form>`,
  application: (content, root) => html`<application-form endpoint="${root}">${content}</application-form>`,
};

/** What a form that was sent holds, to be shown again. */
export function filledFrom(fields: FormData, site: Site): Required<Pick<Filled, "values" | "packages">> & Filled {
  const values: Record<string, string | string[]> = {};
  for (const name of new Set(fields.keys())) {
    const texts = fields.getAll(name).filter((value) => typeof value === "string");
    if (name !== idempotencyKeyField) values[name] = texts.length === 1 ? texts[0]! : texts;
  }
  const ids = [values["selectedPackageIds"] ?? []].flat();
  const packages = packagesWith(site, ids);
  const choosable = site.catalogue !== null || ids.every((id) => packages.some((shown) => shown.id === id));
  // Identifiers that no box stands for were typed, and have to be shown as text.
  return { values, packages: choosable ? packages : null };
}
