// The page after a form was accepted, in the language of the form. Anyone can make up its address, so of the address it
// shows only a reference that looks like one.
import { forms, type FormName } from "@submissions/shared/forms/form-fields";
import { formTexts } from "@submissions/shared/forms/form-texts";
import { html } from "@submissions/shared/html";
import { languageField, languageOf, type Language } from "@submissions/shared/language";
import { kindOfReference } from "@submissions/shared/kinds";
import { referenceShape } from "@submissions/shared/reference";
import { formPages } from "./form-pages.ts";
import { card } from "./frame.ts";
import type { Site } from "./site.ts";

/** Of a subscription that needs no confirmation. */
const active = {
  en: {
    heading: "Thank you for subscribing",
    text: "A welcome e-mail is on its way to your inbox. Every e-mail from us has a link to unsubscribe.",
  },
  de: {
    heading: "Vielen Dank für Ihr Abonnement",
    text: "Eine E-Mail zur Begrüßung ist unterwegs. In jeder E-Mail von uns finden Sie einen Link zum Abmelden.",
  },
} as const satisfies Readonly<Record<Language, object>>;

/** The page for what stands in its address; null for an unknown kind. */
export function thanksPage(site: Site, query: Readonly<Record<string, unknown>>): string | null {
  const { kind, reference } = query;
  if (!isForm(kind)) return null;
  const language = languageOf(query[languageField]);
  const strings = formTexts[language];
  const isActive = kind === "newsletter" && site.newsletterOptIn === "single";
  const quoted =
    typeof reference === "string" && referenceShape.test(reference) && kindOfReference(reference) === kind && reference;
  const body = html`<p role="status">${isActive ? active[language].text : formPages[kind].words[language].thanks}</p>
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
    heading: isActive ? active[language].heading : strings.forms[kind].accepted,
    body,
  });
}

const isForm = (kind: unknown): kind is FormName => typeof kind === "string" && Object.hasOwn(forms, kind);
