// The words of the newsletter's pages. None of them names an address or says whether one is known: mail programs, and
// people whom a mail was forwarded to, open these links too.
import { html } from "@submissions/shared/html";
import type { LinkPurpose } from "../../storage/records.ts";
import { card } from "./frame.ts";

/** The pages are one level below the root. */
const root = "../";

const questions = {
  confirm: {
    heading: "Confirm your subscription",
    text: "Press the button, and our newsletter will come to the address that our e-mail was sent to.",
    button: "Confirm subscription",
  },
  unsubscribe: {
    heading: "Unsubscribe from our newsletter",
    text: "Press the button, and we will send no more newsletters to the address that our e-mail was sent to.",
    button: "Unsubscribe",
  },
} as const;

const outcomes = {
  confirm: {
    heading: "You are subscribed",
    text: "Thank you, your subscription is confirmed. Every e-mail from us has a link to unsubscribe.",
  },
  unsubscribe: {
    heading: "You are unsubscribed",
    text: "We will send you no more newsletters. If you change your mind, you can subscribe again on our site.",
  },
} as const;

/** The page that a link opens: one button. */
export function questionPage(brand: string, purpose: LinkPurpose, token: string): string {
  const { heading, text, button } = questions[purpose];
  const body = html`<p>${text}</p>
    <form method="post" action="${purpose}">
      <input type="hidden" name="token" value="${token}" />
      <button class="button">${button}</button>
    </form>`;
  return card({ brand, root, sign: "mail", heading, body });
}

/** The page after the button, the first time and again. */
export function outcomePage(brand: string, purpose: LinkPurpose): string {
  const { heading, text } = outcomes[purpose];
  return card({ brand, root, sign: "done", heading, body: html`<p role="status">${text}</p>` });
}

/** The one page for every link that does not work, whatever the reason. */
export function deadLinkPage(brand: string): string {
  const body = html`<p>It may be incomplete or too old. A link to confirm a subscription works for 7 days.</p>
    <p>To unsubscribe, use the link in the latest e-mail from us.</p>`;
  const on = html`<a href="${root}#newsletter">Subscribe again on our site</a>`;
  return card({ brand, root, sign: "stop", heading: "This link does not work", body, on });
}
