// The page after a form was taken, and its address. The address can be made up by anybody, so nothing of it is shown but a
// reference that looks like one.
import { formPaths, type FormName } from "@submissions/shared/forms/form-fields";
import { applicationReference, inquiryReference } from "@submissions/shared/reference";
import { html, type Markup } from "@submissions/shared/html";
import { card } from "./layout.ts";
import type { Site } from "./site.ts";

interface Thanks {
  readonly heading: string;
  readonly text: string;
  /** What the person may quote; null when there is nothing. */
  readonly reference: typeof inquiryReference | null;
}

const thanks = (form: FormName, { newsletterOptIn }: Site): Thanks =>
  ({
    inquiry: {
      heading: "Your inquiry has been sent",
      text: "Thank you. Our sales team will answer you by e‑mail.",
      reference: inquiryReference,
    },
    newsletter: {
      heading: newsletterOptIn === "double" ? "Please check your inbox" : "Thank you",
      text:
        newsletterOptIn === "double"
          ? "We have sent you a mail with a button in it. Press it, and you are subscribed."
          : "You are subscribed. Every mail of ours has a link to leave by.",
      reference: null,
    },
    application: {
      heading: "Your application has been sent",
      text: "Thank you. Our recruiting team will read it and answer you by e‑mail.",
      reference: applicationReference,
    },
  })[form];

const isForm = (kind: unknown): kind is FormName => typeof kind === "string" && Object.hasOwn(formPaths, kind);

/** Where a browser goes after a form, seen from the address that the form was sent to. */
export function thanksAddress(url: string, receipt: unknown): string {
  const form = Object.entries(formPaths).find(([, path]) => path === url)?.[0] ?? "";
  const { inquiryId, applicationId } = receipt as Readonly<Record<string, string | undefined>>;
  const reference = inquiryId ?? applicationId;
  const query = new URLSearchParams({ kind: form, ...(reference === undefined ? {} : { reference }) });
  return `../../thanks?${query.toString()}`;
}

/** The page for what stands in its address; null for a kind that there is not. */
export function thanksPage(site: Site, query: Readonly<Record<string, unknown>>): string | null {
  const { kind } = query;
  if (!isForm(kind)) return null;
  const { heading, text, reference } = thanks(kind, site);
  const quoted = reference?.safeParse(query["reference"]);
  const body = html`<p role="status">${text}</p>
    ${quoted?.success && referenceMarkup(quoted.data)}
    <p><a href="./">Back to the front page</a></p>`;
  return card({ brand: site.brand, root: "", heading, body });
}

const referenceMarkup = (reference: string): Markup =>
  html`<p class="reference">
    <span>Your reference</span> <strong>${reference}</strong> <span>Please quote it when you write to us.</span>
  </p>`;
