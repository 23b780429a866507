// What a subscription makes us write: the welcome mail, which asks for confirmation under double opt-in. It is handed
// finished links and knows nothing of tokens.
import { html } from "@submissions/shared/html";
import { button, layout, link, paragraph, textOf, type Written } from "./layout.ts";

export interface WelcomeFacts {
  readonly brand: string;
  /** The confirm page, or null where the subscriber is active already. */
  readonly confirmUrl: string | null;
  readonly unsubscribeUrl: string;
}

/** The welcome mail. */
export function writeWelcome(facts: WelcomeFacts): Written {
  return facts.confirmUrl === null ? writePlainWelcome(facts) : writeConfirmation(facts, facts.confirmUrl);
}

const unsubscribeFooter = (url: string, why: string) => html`${why} ${link(url, "Unsubscribe")}`;

function writeConfirmation({ brand, unsubscribeUrl }: WelcomeFacts, confirmUrl: string): Written {
  const subject = `Please confirm your subscription to ${brand}`;
  const ask =
    "Thank you for subscribing to our newsletter. One step is left: please confirm that this address is yours.";
  const until = "The link works for 7 days.";
  const otherwise =
    "If you did not ask for this, please ignore this mail: without your confirmation we send no newsletter.";
  return {
    subject,
    text: textOf("Hello,", ask, ["Confirm your subscription:", confirmUrl], [until, otherwise], brand, [
      "--",
      "Unsubscribe at any time:",
      unsubscribeUrl,
    ]),
    html: layout({
      subject,
      brand,
      heading: "Please confirm your subscription",
      preheader: "One step is left: confirm that this address is yours.",
      body: html`${paragraph("Hello,")}${paragraph(ask)}${button(confirmUrl, "Confirm subscription")}
        <p style="margin:0">${until} ${otherwise}</p>`,
      footer: unsubscribeFooter(unsubscribeUrl, "You can leave at any time."),
    }),
  };
}

function writePlainWelcome({ brand, unsubscribeUrl }: WelcomeFacts): Written {
  const subject = `Welcome to the newsletter of ${brand}`;
  const welcome = "Welcome! You are subscribed to our newsletter, and the next issue will come to this address.";
  const otherwise = "If you did not ask for this, the link below ends it.";
  return {
    subject,
    text: textOf("Hello,", [welcome, otherwise], brand, ["--", "Unsubscribe at any time:", unsubscribeUrl]),
    html: layout({
      subject,
      brand,
      heading: "Welcome to our newsletter",
      preheader: "You are subscribed; the next issue will come to this address.",
      body: html`${paragraph("Hello,")}${paragraph(welcome)}
        <p style="margin:0">${otherwise}</p>`,
      footer: unsubscribeFooter(unsubscribeUrl, "You can leave at any time."),
    }),
  };
}
