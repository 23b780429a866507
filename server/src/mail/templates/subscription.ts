// The mail of a subscription: the welcome, which asks for confirmation under double opt-in.
import { html } from "@submissions/shared/html";
import { frame } from "./frame.ts";
import { button, layout, link, paragraph, textOf, type Written } from "./layout.ts";

export interface WelcomeFacts {
  readonly brand: string;
  /** The confirm page, or null where the subscriber is active already. */
  readonly confirmUrl: string | null;
  readonly unsubscribeUrl: string;
}

/** The welcome mail. */
export function writeWelcome({ brand, confirmUrl, unsubscribeUrl }: WelcomeFacts): Written {
  return confirmUrl === null
    ? writePlainWelcome(brand, unsubscribeUrl)
    : writeConfirmation(brand, confirmUrl, unsubscribeUrl);
}

const ask = "Thank you for subscribing to our newsletter. One step is left: please confirm that this address is yours.";
const until = "The link works for 7 days.";
const unasked =
  "If you did not ask for this, please ignore this mail: without your confirmation we send no newsletter.";

const confirmationFrame = frame<"subject" | "brand" | "confirmUrl" | "unsubscribeUrl">((slot) =>
  layout({
    subject: slot("subject"),
    brand: slot("brand"),
    heading: "Please confirm your subscription",
    preheader: "One step is left: confirm that this address is yours.",
    body: html`${paragraph("Hello,")}${paragraph(ask)}${button(slot("confirmUrl"), "Confirm subscription")}
      <p style="margin:0">${until} ${unasked}</p>`,
    footer: html`You can leave at any time. ${link(slot("unsubscribeUrl"), "Unsubscribe")}`,
  }),
);

const leaving = (unsubscribeUrl: string) => ["--", "Unsubscribe at any time:", unsubscribeUrl];

function writeConfirmation(brand: string, confirmUrl: string, unsubscribeUrl: string): Written {
  const subject = `Please confirm your subscription to ${brand}`;
  return {
    subject,
    text: textOf(
      "Hello,",
      ask,
      ["Confirm your subscription:", confirmUrl],
      [until, unasked],
      brand,
      leaving(unsubscribeUrl),
    ),
    html: confirmationFrame({ subject, brand, confirmUrl, unsubscribeUrl }).text,
  };
}

const welcome = "Welcome! You are subscribed to our newsletter, and the next issue will come to this address.";
const unwelcome = "If you did not ask for this, the link below ends it.";

const welcomeFrame = frame<"subject" | "brand" | "unsubscribeUrl">((slot) =>
  layout({
    subject: slot("subject"),
    brand: slot("brand"),
    heading: "Welcome to our newsletter",
    preheader: "You are subscribed; the next issue will come to this address.",
    body: html`${paragraph("Hello,")}${paragraph(welcome)}
      <p style="margin:0">${unwelcome}</p>`,
    footer: html`You can leave at any time. ${link(slot("unsubscribeUrl"), "Unsubscribe")}`,
  }),
);

function writePlainWelcome(brand: string, unsubscribeUrl: string): Written {
  const subject = `Welcome to the newsletter of ${brand}`;
  return {
    subject,
    text: textOf("Hello,", [welcome, unwelcome], brand, leaving(unsubscribeUrl)),
    html: welcomeFrame({ subject, brand, unsubscribeUrl }).text,
  };
}
