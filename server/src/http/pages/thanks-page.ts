// The page after a form was accepted. Its address may be made up, so it shows only what looks like a reference.
import { forms, type FormName } from "@submissions/shared/forms/form-fields";
import { html } from "@submissions/shared/html";
import { languageField } from "@submissions/shared/language";
import { kindOfReference } from "@submissions/shared/kinds";
import { referenceShape } from "@submissions/shared/reference";
import { card } from "./frame.ts";
import type { Site } from "./site.ts";

/** The page for what stands in its address, which may name no kind; null for an unknown one. */
export function thanksPage(site: Site, query: Readonly<Record<string, unknown>>): string | null {
  const reference =
    typeof query["reference"] === "string" && referenceShape.test(query["reference"]) && query["reference"];
  const ofReference = reference && kindOfReference(reference);
  const kind = query["kind"] ?? (ofReference || undefined);
  const language = site.languageOf(query[languageField]);
  const { forms: strings, pages: words } = site.words(language);
  const frame = { language, site, root: "" } as const;
  if (kind === undefined)
    return card({ ...frame, sign: "done", heading: words.thanks.heading, body: said(words.thanks.text) });
  if (!isForm(kind)) return null;
  const isActive = kind === "newsletter" && site.newsletterOptIn === "single";
  const body = html`${said(isActive ? words.subscribed.text : words.forms[kind].thanks)}
  ${
    ofReference === kind &&
    html`<p class="reference">
      <span>${strings.reference}</span> <strong>${reference}</strong> <span>${strings.referenceHint}</span>
    </p>`
  }`;
  return card({
    ...frame,
    sign: kind === "newsletter" && !isActive ? "mail" : "done",
    heading: isActive ? words.subscribed.heading : strings.forms[kind].accepted,
    body,
  });
}

const said = (text: string) => html`<p role="status">${text}</p>`;

const isForm = (kind: unknown): kind is FormName => typeof kind === "string" && Object.hasOwn(forms, kind);
