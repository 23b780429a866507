// The mail of a subscription, in the language of the form: the welcome, which asks for confirmation under double opt-in.
import { html } from "@submissions/shared/html";
import type { Language } from "@submissions/shared/language";
import {
  button,
  frame,
  layout,
  link,
  masthead,
  paragraph,
  signatureLines,
  signatureMarkup,
  textOf,
  type Written,
} from "./layout.ts";
import { writeOwnWords } from "./own-words.ts";
import { helloIn, type Speaker } from "./receipt.ts";

export interface WelcomeFacts {
  readonly language: Language;
  readonly speaker: Speaker;
  /** The confirm page, or null where the subscriber is active already. */
  readonly confirmUrl: string | null;
  readonly unsubscribeUrl: string;
}

const words = {
  en: {
    confirmation: {
      subject: (brand: string) => `Please confirm your subscription to ${brand}`,
      heading: "Please confirm your subscription",
      preheader: "One step is left: confirm that this address is yours.",
      opening:
        "Thank you for subscribing to our newsletter. One step is left: please confirm that this address is yours.",
      closing: [
        "The link works for 7 days after the form was sent.",
        "If you did not ask for this, please ignore this mail: without your confirmation we send no newsletter.",
      ],
    },
    welcome: {
      subject: (brand: string) => `Welcome to the newsletter of ${brand}`,
      heading: "Welcome to our newsletter",
      preheader: "You are subscribed; the next issue will come to this address.",
      opening: "Welcome! You are subscribed to our newsletter, and the next issue will come to this address.",
      closing: ["If you did not ask for this, the link below ends it."],
    },
    confirm: "Confirm subscription",
    confirmLine: "Confirm your subscription:",
    orOpen: "Or open this address:",
    leave: "You can leave at any time.",
    unsubscribe: "Unsubscribe",
    unsubscribeLine: "Unsubscribe at any time:",
  },
  de: {
    confirmation: {
      subject: (brand: string) => `Bitte bestätigen Sie Ihr Abonnement von ${brand}`,
      heading: "Bitte bestätigen Sie Ihr Abonnement",
      preheader: "Ein Schritt fehlt noch: Bestätigen Sie, dass diese Adresse Ihnen gehört.",
      // The opening follows the greeting and its comma, so it begins in lower case.
      opening:
        "vielen Dank für Ihr Interesse an unserem Newsletter. Ein Schritt fehlt noch: Bitte bestätigen Sie, dass diese Adresse Ihnen gehört.",
      closing: [
        "Der Link gilt 7 Tage ab dem Absenden des Formulars.",
        "Falls Sie das nicht wollten, brauchen Sie nichts zu tun: Ohne Ihre Bestätigung senden wir keinen Newsletter.",
      ],
    },
    welcome: {
      subject: (brand: string) => `Willkommen beim Newsletter von ${brand}`,
      heading: "Willkommen bei unserem Newsletter",
      preheader: "Sie haben unseren Newsletter abonniert; die nächste Ausgabe kommt an diese Adresse.",
      opening: "willkommen! Sie haben unseren Newsletter abonniert; die nächste Ausgabe kommt an diese Adresse.",
      closing: ["Falls Sie das nicht wollten, beendet es der Link unten."],
    },
    confirm: "Abonnement bestätigen",
    confirmLine: "Abonnement bestätigen:",
    orOpen: "Oder öffnen Sie diese Adresse:",
    leave: "Sie können sich jederzeit abmelden.",
    unsubscribe: "Abmelden",
    unsubscribeLine: "Jederzeit abmelden:",
  },
};

function frameOf(language: Language, step: "confirmation" | "welcome") {
  const { confirm, orOpen, leave, unsubscribe, [step]: told } = words[language];
  return frame<"subject" | "brand" | "confirmUrl" | "unsubscribeUrl" | "signature">((slot) =>
    layout({
      language,
      subject: slot("subject"),
      brand: slot("brand"),
      heading: told.heading,
      preheader: told.preheader,
      body: html`${paragraph(helloIn(language))}${paragraph(told.opening)}${step === "confirmation" && button(slot("confirmUrl"), confirm, orOpen)}
        <p style="margin:0">${told.closing.join(" ")}</p>`,
      signature: slot("signature"),
      footer: html`${leave} ${link(slot("unsubscribeUrl"), unsubscribe)}`,
    }),
  );
}

const frames = {
  en: { confirmation: frameOf("en", "confirmation"), welcome: frameOf("en", "welcome") },
  de: { confirmation: frameOf("de", "confirmation"), welcome: frameOf("de", "welcome") },
};

export function writeWelcome({ language, speaker, confirmUrl, unsubscribeUrl }: WelcomeFacts): Written {
  const { brand } = speaker;
  const own = speaker.words.get(`newsletter-welcome.${language}`);
  if (own !== undefined) {
    const places = { hello: helloIn(language), confirmUrl: confirmUrl ?? "", unsubscribeUrl, brand };
    return writeOwnWords(own, language, places, speaker);
  }
  const step = confirmUrl === null ? "welcome" : "confirmation";
  const { confirmLine, unsubscribeLine, [step]: told } = words[language];
  const { opening, closing } = told;
  const subject = told.subject(brand);
  const blocks = confirmUrl === null ? [[opening, ...closing]] : [opening, [confirmLine, confirmUrl], closing];
  return {
    subject,
    text: textOf(helloIn(language), ...blocks, signatureLines(speaker), ["--", unsubscribeLine, unsubscribeUrl]),
    html: frames[language][step]({
      subject,
      brand: masthead(speaker),
      confirmUrl,
      unsubscribeUrl,
      signature: signatureMarkup(speaker),
    }).text,
  };
}
