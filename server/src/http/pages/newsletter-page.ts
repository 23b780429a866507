// The words of the newsletter's pages, in the language of the form that was filled in. None of them names an address or
// says whether one is known: mail programs, and people whom a mail was forwarded to, open these links too.
import { html } from "@submissions/shared/html";
import { languageField, type Language } from "@submissions/shared/language";
import type { LinkPurpose } from "../../storage/records.ts";
import { card } from "./frame.ts";
import type { Site } from "./site.ts";

/** The pages are one level below the root. */
const root = "../";

type Words = Readonly<Record<"ask" | "explain" | "button" | "done" | "outcome", string>>;

const words: Readonly<Record<Language, Readonly<Record<LinkPurpose, Words>>>> = {
  en: {
    confirm: {
      ask: "Confirm your subscription",
      explain: "Press the button, and our newsletter will come to the address that our e-mail was sent to.",
      button: "Confirm subscription",
      done: "You are subscribed",
      outcome: "Thank you, your subscription is confirmed. Every e-mail from us has a link to unsubscribe.",
    },
    unsubscribe: {
      ask: "Unsubscribe from our newsletter",
      explain: "Press the button, and we will send no more newsletters to the address that our e-mail was sent to.",
      button: "Unsubscribe",
      done: "You are unsubscribed",
      outcome: "We will send you no more newsletters. If you change your mind, you can subscribe again on our site.",
    },
  },
  de: {
    confirm: {
      ask: "Bestätigen Sie Ihr Abonnement",
      explain: "Ein Klick, und unser Newsletter kommt an die Adresse, an die wir Ihnen geschrieben haben.",
      button: "Abonnement bestätigen",
      done: "Sie haben unseren Newsletter abonniert",
      outcome: "Vielen Dank, Ihr Abonnement ist bestätigt. In jeder E-Mail von uns finden Sie einen Link zum Abmelden.",
    },
    unsubscribe: {
      ask: "Vom Newsletter abmelden",
      explain: "Ein Klick, und wir senden keinen Newsletter mehr an die Adresse, an die wir Ihnen geschrieben haben.",
      button: "Abmelden",
      done: "Sie sind abgemeldet",
      outcome: "Wir senden Ihnen keinen Newsletter mehr. Auf unserer Seite können Sie ihn jederzeit wieder abonnieren.",
    },
  },
};

const deadLink: Readonly<Record<Language, readonly [heading: string, why: string, leave: string, on: string]>> = {
  en: [
    "This link does not work",
    "It may be incomplete or too old. A link to confirm a subscription works for 7 days.",
    "To unsubscribe, use the link in the latest e-mail from us.",
    "Subscribe again on our site",
  ],
  de: [
    "Dieser Link funktioniert nicht",
    "Er ist unvollständig oder zu alt. Ein Link zum Bestätigen gilt 7 Tage.",
    "Zum Abmelden nehmen Sie bitte den Link in der neuesten E-Mail von uns.",
    "Auf unserer Seite neu abonnieren",
  ],
};

export interface Spoken {
  readonly site: Pick<Site, "brand" | "hasFrontPage">;
  readonly language: Language;
}

/** The page that a link opens: one button. */
export function questionPage({ site, language }: Spoken, purpose: LinkPurpose, token: string): string {
  const { ask, explain, button } = words[language][purpose];
  const body = html`<p>${explain}</p>
    <form method="post" action="${purpose}">
      <input type="hidden" name="token" value="${token}" />
      ${language !== "en" && html`<input type="hidden" name="${languageField}" value="${language}" />`}
      <button class="button">${button}</button>
    </form>`;
  return card({ language, site, root, sign: "mail", heading: ask, body });
}

/** The page after the button, the first time and again. */
export function outcomePage({ site, language }: Spoken, purpose: LinkPurpose): string {
  const { done, outcome } = words[language][purpose];
  return card({ language, site, root, sign: "done", heading: done, body: html`<p role="status">${outcome}</p>` });
}

/** The one page for every link that does not work, whatever the reason. */
export function deadLinkPage({ site, language }: Spoken): string {
  const [heading, why, leave, on] = deadLink[language];
  const body = html`<p>${why}</p>
    <p>${leave}</p>`;
  return card({
    language,
    site,
    root,
    sign: "stop",
    heading,
    body,
    on: site.hasFrontPage && html`<a href="${root}#newsletter">${on}</a>`,
  });
}
