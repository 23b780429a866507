// The page after a form was accepted, in the language of the form. Anyone can make up its address, so of the address it
// shows only a reference that looks like one.
import { forms, type FormName } from "@submissions/shared/forms/form-fields";
import { formTexts } from "@submissions/shared/forms/form-texts";
import { html } from "@submissions/shared/html";
import { languageField, languageOf, type Language } from "@submissions/shared/language";
import { kindOfReference } from "@submissions/shared/kinds";
import { referenceShape } from "@submissions/shared/reference";
import { card } from "./frame.ts";
import type { Site } from "./site.ts";

type Texts = Readonly<Record<FormName | "active" | "activeHeading", string>>;

const texts: Readonly<Record<Language, Texts>> = {
  en: {
    inquiry: "Thank you. Our sales team will contact you by e-mail.",
    newsletter:
      "We sent you an e-mail with a link. Open it to confirm your subscription. If nothing arrives, look into your spam folder.",
    activeHeading: "Thank you for subscribing",
    active: "A welcome e-mail is on its way to your inbox. Every e-mail from us has a link to unsubscribe.",
    application: "Thank you. Our recruiting team will read it and contact you by e-mail.",
  },
  de: {
    inquiry: "Vielen Dank. Unser Vertrieb meldet sich per E-Mail bei Ihnen.",
    newsletter:
      "Wir haben Ihnen eine E-Mail mit einem Link gesendet. Öffnen Sie ihn, um Ihr Abonnement zu bestätigen. Wenn nichts ankommt, sehen Sie bitte in den Spam-Ordner.",
    activeHeading: "Vielen Dank für Ihr Abonnement",
    active: "Eine E-Mail zur Begrüßung ist unterwegs. In jeder E-Mail von uns finden Sie einen Link zum Abmelden.",
    application: "Vielen Dank. Wir lesen Ihre Bewerbung und melden uns per E-Mail bei Ihnen.",
  },
};

/** The page for what stands in its address; null for an unknown kind. */
export function thanksPage(site: Site, query: Readonly<Record<string, unknown>>): string | null {
  const { kind, reference } = query;
  if (!isForm(kind)) return null;
  const language = languageOf(query[languageField]);
  const strings = formTexts[language];
  const isActive = kind === "newsletter" && site.newsletterOptIn === "single";
  const quoted =
    typeof reference === "string" && referenceShape.test(reference) && kindOfReference(reference) === kind && reference;
  const body = html`<p role="status">${texts[language][isActive ? "active" : kind]}</p>
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
    heading: isActive ? texts[language].activeHeading : strings.forms[kind].accepted,
    body,
  });
}

const isForm = (kind: unknown): kind is FormName => typeof kind === "string" && Object.hasOwn(forms, kind);
