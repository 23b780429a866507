// The page after a form was accepted, in the language of the form. Anyone can make up its address, so of the address it
// shows only a reference that looks like one.
import { forms, type FormName } from "@submissions/shared/forms/form-fields";
import { html } from "@submissions/shared/html";
import { languageField } from "@submissions/shared/language";
import { kindOfReference } from "@submissions/shared/kinds";
import { referenceShape } from "@submissions/shared/reference";
import { card } from "./frame.ts";
import type { Site } from "./site.ts";

/** The page for what stands in its address; null for an unknown kind. */
export function thanksPage(site: Site, query: Readonly<Record<string, unknown>>): string | null {
  const { kind, reference } = query;
  if (!isForm(kind)) return null;
  const language = site.languageOf(query[languageField]);
  const { forms: strings, pages: words } = site.words(language);
  const isActive = kind === "newsletter" && site.newsletterOptIn === "single";
  const quoted =
    typeof reference === "string" && referenceShape.test(reference) && kindOfReference(reference) === kind && reference;
  const body = html`<p role="status">${isActive ? words.subscribed.text : words.forms[kind].thanks}</p>
    ${
      quoted &&
      html`<p class="reference">
        <span>${strings.reference}</span> <strong>${quoted}</strong> <span>${strings.referenceHint}</span>
      </p>`
    }`;
  return card({
    language,
    site,
    root: "",
    sign: kind === "newsletter" && !isActive ? "mail" : "done",
    heading: isActive ? words.subscribed.heading : strings.forms[kind].accepted,
    body,
  });
}

const isForm = (kind: unknown): kind is FormName => typeof kind === "string" && Object.hasOwn(forms, kind);
