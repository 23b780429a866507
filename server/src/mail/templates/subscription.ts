// The mail of a subscription, in the language of the form: the welcome, which asks for confirmation under double opt-in.
import { html } from "@submissions/shared/html";
import type { Language } from "@submissions/shared/language";
import { frame } from "./frame.ts";
import { button, layout, link, paragraph, textOf, type Written } from "./layout.ts";
import { helloIn, type InEachLanguage } from "./receipt.ts";

export interface WelcomeFacts {
  readonly language: Language;
  readonly brand: string;
  /** The confirm page, or null where the subscriber is active already. */
  readonly confirmUrl: string | null;
  readonly unsubscribeUrl: string;
}

const words = {
  en: {
    askSubject: (brand: string) => `Please confirm your subscription to ${brand}`,
    askHeading: "Please confirm your subscription",
    askPreheader: "One step is left: confirm that this address is yours.",
    ask: "Thank you for subscribing to our newsletter. One step is left: please confirm that this address is yours.",
    confirm: "Confirm subscription",
    confirmLine: "Confirm your subscription:",
    orOpen: "Or open this address:",
    until: "The link works for 7 days.",
    unasked: "If you did not ask for this, please ignore this mail: without your confirmation we send no newsletter.",
    subject: (brand: string) => `Welcome to the newsletter of ${brand}`,
    heading: "Welcome to our newsletter",
    preheader: "You are subscribed; the next issue will come to this address.",
    welcome: "Welcome! You are subscribed to our newsletter, and the next issue will come to this address.",
    unwelcome: "If you did not ask for this, the link below ends it.",
    leave: "You can leave at any time.",
    unsubscribe: "Unsubscribe",
    unsubscribeLine: "Unsubscribe at any time:",
  },
  de: {
    askSubject: (brand: string) => `Bitte bestätigen Sie Ihr Abonnement von ${brand}`,
    askHeading: "Bitte bestätigen Sie Ihr Abonnement",
    askPreheader: "Ein Schritt fehlt noch: Bestätigen Sie, dass diese Adresse Ihnen gehört.",
    // It follows the greeting and its comma, so it begins in lower case; so does `welcome`.
    ask: "vielen Dank für Ihr Interesse an unserem Newsletter. Ein Schritt fehlt noch: Bitte bestätigen Sie, dass diese Adresse Ihnen gehört.",
    confirm: "Abonnement bestätigen",
    confirmLine: "Abonnement bestätigen:",
    orOpen: "Oder öffnen Sie diese Adresse:",
    until: "Der Link gilt 7 Tage.",
    unasked:
      "Falls Sie das nicht wollten, brauchen Sie nichts zu tun: Ohne Ihre Bestätigung senden wir keinen Newsletter.",
    subject: (brand: string) => `Willkommen beim Newsletter von ${brand}`,
    heading: "Willkommen bei unserem Newsletter",
    preheader: "Sie haben unseren Newsletter abonniert; die nächste Ausgabe kommt an diese Adresse.",
    welcome: "willkommen! Sie haben unseren Newsletter abonniert; die nächste Ausgabe kommt an diese Adresse.",
    unwelcome: "Falls Sie das nicht wollten, beendet es der Link unten.",
    leave: "Sie können sich jederzeit abmelden.",
    unsubscribe: "Abmelden",
    unsubscribeLine: "Jederzeit abmelden:",
  },
};

type Words = (typeof words)["en"];

const framesOf = (language: Language, told: Words) => ({
  confirmation: frame<"subject" | "brand" | "confirmUrl" | "unsubscribeUrl">((slot) =>
    layout({
      language,
      subject: slot("subject"),
      brand: slot("brand"),
      heading: told.askHeading,
      preheader: told.askPreheader,
      body: html`${paragraph(helloIn(language))}${paragraph(told.ask)}${button(slot("confirmUrl"), told.confirm, told.orOpen)}
        <p style="margin:0">${told.until} ${told.unasked}</p>`,
      footer: html`${told.leave} ${link(slot("unsubscribeUrl"), told.unsubscribe)}`,
    }),
  ),
  welcome: frame<"subject" | "brand" | "unsubscribeUrl">((slot) =>
    layout({
      language,
      subject: slot("subject"),
      brand: slot("brand"),
      heading: told.heading,
      preheader: told.preheader,
      body: html`${paragraph(helloIn(language))}${paragraph(told.welcome)}
        <p style="margin:0">${told.unwelcome}</p>`,
      footer: html`${told.leave} ${link(slot("unsubscribeUrl"), told.unsubscribe)}`,
    }),
  ),
});

const frames: InEachLanguage<ReturnType<typeof framesOf>> = {
  en: framesOf("en", words.en),
  de: framesOf("de", words.de),
};

/** The welcome mail. */
export function writeWelcome({ language, brand, confirmUrl, unsubscribeUrl }: WelcomeFacts): Written {
  const told = words[language];
  const hello = helloIn(language);
  const leaving = ["--", told.unsubscribeLine, unsubscribeUrl];
  if (confirmUrl === null) {
    const subject = told.subject(brand);
    return {
      subject,
      text: textOf(hello, [told.welcome, told.unwelcome], brand, leaving),
      html: frames[language].welcome({ subject, brand, unsubscribeUrl }).text,
    };
  }
  const subject = told.askSubject(brand);
  return {
    subject,
    text: textOf(hello, told.ask, [told.confirmLine, confirmUrl], [told.until, told.unasked], brand, leaving),
    html: frames[language].confirmation({ subject, brand, confirmUrl, unsubscribeUrl }).text,
  };
}
