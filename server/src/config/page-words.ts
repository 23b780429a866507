// What the pages for persons say in English. Other languages have files of their own (languages.ts). The front page,
// and pages that show no form, are in English.
import { ofKinds, serverKindOf } from "../kinds.ts";

export const englishPages = {
  toFrontPage: "Go to the front page",
  skip: "Skip to the content",
  site: "Site",
  packages: "Packages",
  developers: "For developers",
  document: "OpenAPI document",
  /** For people without script where proofs of work are asked for. */
  needsScript:
    "This form needs JavaScript, to check that a person sends it. Please turn JavaScript on and send the form again.",
  forms: {
    ...ofKinds((kind) => serverKindOf(kind).page.words),
    newsletter: {
      section: "Newsletter",
      thanks:
        "We sent you an e-mail with a link. Open it to confirm your subscription. If nothing arrives, look into your spam folder.",
      notSent: "You are not subscribed yet",
    },
  },
  /** After any form, where the address does not say which. */
  thanks: { heading: "Thank you", text: "We received your form." },
  /** After a subscription that needs no confirmation. */
  subscribed: {
    heading: "Thank you for subscribing",
    text: "A welcome e-mail is on its way to your inbox. Every e-mail from us has a link to unsubscribe.",
  },
  refused: {
    cut: "A text was too long. Only its beginning is shown.",
    /** No page can put a file back into its field. */
    fileGone: "Please choose the file again. A page cannot keep it.",
    otherFile: "Please choose another file.",
    keyReused: "You have already sent this form, with other content. To send this as well, press the button again.",
    underWayHeading: "Your form is being processed",
    underWay:
      "It was sent a moment ago, and we have not finished. Wait a second, reload this page, and let your browser send the form again. It will not be stored twice.",
  },
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
  deadLink: {
    heading: "This link does not work",
    why: "It may be incomplete or too old. A link to confirm a subscription works for 7 days.",
    leave: "To unsubscribe, use the link in the latest e-mail from us.",
    on: "Subscribe again on our site",
  },
};

/** What the pages for persons say in one language. */
export type PageWords = Readonly<typeof englishPages>;
