// The page after a form was accepted. Anyone can make up its address, so of the address it shows only a reference that
// looks like one.
import { formPaths, type FormName } from "@submissions/shared/forms/form-fields";
import { html } from "@submissions/shared/html";
import { applicationReference, inquiryReference } from "@submissions/shared/reference";
import { card } from "./frame.ts";
import type { Site } from "./site.ts";

type Words = Pick<Parameters<typeof card>[0], "sign" | "heading"> & { readonly text: string };

const words: Readonly<Record<FormName | "active", Words>> = {
  inquiry: {
    sign: "done",
    heading: "Your inquiry has been sent",
    text: "Thank you. Our sales team will contact you by e-mail.",
  },
  newsletter: {
    sign: "mail",
    heading: "Please check your inbox",
    text: "We have sent you an e-mail with a button. Press it to confirm your subscription. If nothing arrives, look into your spam folder.",
  },
  active: {
    sign: "done",
    heading: "Thank you for subscribing",
    text: "A welcome e-mail is on its way to your inbox. Every e-mail from us has a link to unsubscribe.",
  },
  application: {
    sign: "done",
    heading: "Your application has been sent",
    text: "Thank you. Our recruiting team will read it and contact you by e-mail.",
  },
};

const references = { inquiry: inquiryReference, newsletter: null, application: applicationReference };

/** The page for what stands in its address; null for an unknown kind. */
export function thanksPage(site: Site, { kind, reference }: Readonly<Record<string, unknown>>): string | null {
  if (!isForm(kind)) return null;
  const { sign, heading, text } = words[kind === "newsletter" && site.newsletterOptIn === "single" ? "active" : kind];
  const quoted = references[kind]?.safeParse(reference);
  const body = html`<p role="status">${text}</p>
    ${
      quoted?.success &&
      html`<p class="reference">
        <span>Your reference</span> <strong>${quoted.data}</strong> <span>Please quote it when you write to us.</span>
      </p>`
    }`;
  return card({ brand: site.brand, root: "", sign, heading, body });
}

const isForm = (kind: unknown): kind is FormName => typeof kind === "string" && Object.hasOwn(formPaths, kind);
