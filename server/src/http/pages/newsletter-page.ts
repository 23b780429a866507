// The words of the newsletter's pages. None of them names an address or says whether one is known: mail programs and
// whoever a mail is forwarded to open these links too.
import { html, type Markup } from "@submissions/shared/html";
import type { LinkPurpose } from "../../storage/records.ts";
import { card } from "./layout.ts";

// The pages are one level below the root.
const page = (brand: string, heading: string, body: Markup): string => card({ brand, root: "../", heading, body });

const questions = {
  confirm: {
    heading: "Confirm your subscription",
    text: "Press the button, and our newsletter will come to the address that our mail was sent to.",
    button: "Confirm subscription",
  },
  unsubscribe: {
    heading: "Unsubscribe from our newsletter",
    text: "Press the button, and no more newsletters will come to the address that our mail was sent to.",
    button: "Unsubscribe",
  },
} as const;

const outcomes = {
  confirm: {
    heading: "You are subscribed",
    text: "Thank you, your subscription is confirmed. Every mail of ours has a link to leave by.",
  },
  unsubscribe: {
    heading: "You are unsubscribed",
    text: "No more newsletters will be sent to you. If you change your mind, you can subscribe again on our site.",
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
  return page(brand, heading, body);
}

/** What the button leads to, the second time as the first. */
export function outcomePage(brand: string, purpose: LinkPurpose): string {
  const { heading, text } = outcomes[purpose];
  return page(brand, heading, html`<p role="status">${text}</p>`);
}

/** The one page for every link that does not work, whatever the reason. */
export function deadLinkPage(brand: string): string {
  const body = html`<p>It may be incomplete, or too old: links that confirm a subscription work for 7 days.</p>
    <p>
      To subscribe, please ask for a new mail on our site. To unsubscribe, use the link in the latest mail you got from
      us.
    </p>`;
  return page(brand, "This link does not work", body);
}

/** For a request that failed on the way; `message` is the fault table's. */
export const failurePage = (brand: string, message: string): string =>
  page(brand, "That did not work", html`<p>${message}</p>`);
