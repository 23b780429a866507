// The forms as HTML, for the server's declarative shadow roots and for the elements. Each is a real form that posts to
// the service without any script. It knows no DOM.
import { fieldOfKind } from "../field-table.ts";
import { consentPageField, consentTextField, honeypotField, nextField } from "../hidden-fields.ts";
import { directionOf, languageField } from "../language.ts";
import { fieldMarkup } from "./field-markup.ts";
import { idempotencyKeyField } from "../further-names.ts";
import { fieldOf, forms, type FormField, type FormName } from "./form-fields.ts";
import type { FormReceipt, FormState } from "./form-state.ts";
import type { FormStrings } from "./form-strings.ts";
import { html, type Markup } from "../html.ts";
import { filled, translated, wordedIssues, wordsOf, type WordedIssue } from "./issue-words.ts";
import { formFields, ownFields } from "./own-fields.ts";

/** The content of the shadow root of a form's element. */
export function formMarkup(form: FormName, state: FormState): Markup {
  const { strings, receipt } = state;
  const content = receipt ? receiptMarkup(form, receipt, strings) : openForm(form, state);
  return html`<div class="frame ${form}" part="frame" lang="${strings.lang}" dir="${directionOf(strings.lang)}">
    ${content}
  </div>`;
}

// To 1Password, LastPass, Bitwarden, Dashlane and Proton Pass. A person whose password manager fills the trap is taken for a
// program.
const notToBeFilled = html`data-1p-ignore data-lpignore="true" data-bwignore data-form-type="other"
data-protonpass-ignore`;

function openForm(form: FormName, state: FormState): Markup {
  const { strings, values, privacy: { url, consent, page = "" } = {} } = state;
  const own = ownFields(form, state.fields, strings);
  const shown = formFields(form, state.fields, strings);
  const issues = wordedIssues(shown, state.issues, strings);
  const above = issuesAbove(shown, issues);
  const hidden = {
    ...state.hidden,
    [idempotencyKeyField]: state.idempotencyKey,
    ...(form === "newsletter" && { source: values["source"] ?? "" }),
    ...(consent && { [consentTextField]: consent, [consentPageField]: page }),
    ...(state.next && { [nextField]: state.next }),
    // Mails to the person are written in it. English is what the service takes for granted.
    ...(strings.lang !== "en" && { [languageField]: strings.lang }),
  };
  const groups = forms[form].form.map(({ title, fields }) => {
    const all = fields.map((name) => fieldMarkup(fieldOf(form, name), state, issues));
    return title === null
      ? html`<div class="grid">${all}</div>`
      : html`<fieldset part="group">
          <legend part="legend">${strings.groups[title]}</legend>
          <div class="grid">${all}</div>
        </fieldset>`;
  });
  return html`<form
    part="form"
    method="post"
    action="${state.action}"
    enctype="${fieldOfKind(forms[form].fields, "file") ? "multipart/form-data" : "application/x-www-form-urlencoded"}"
    accept-charset="utf-8"
  >
    <div
      class="summary"
      part="summary"
      id="summary"
      role="group"
      aria-labelledby="summary-title"
      tabindex="-1"
      ${above.length > 0 || state.message ? html` autofocus` : html` hidden`}
    >
      ${summaryMarkup(above, strings, state)}
    </div>
    ${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    <div class="trap" aria-hidden="true">
      <label>${strings.trap} <input name="${honeypotField}" tabindex="-1" autocomplete="off" ${notToBeFilled} /></label>
    </div>
    ${groups}
    ${own.length > 0 && html`<div class="grid">${own.map((field) => fieldMarkup(field, state, issues))}</div>`}
    <slot name="notice">${url && privacyLine(url, strings)}</slot>
    <div class="send">
      <button part="submit" type="submit">${strings.forms[form].submit}</button>
      <button part="cancel" class="quiet" type="button" data-do="cancel" hidden>${strings.cancel}</button>
      <progress part="progress" max="100" aria-label="${strings.sending}" hidden></progress>
      <p class="status" part="status" role="status"></p>
      <span class="percent" part="percent" aria-hidden="true" hidden></span>
    </div>
  </form>`;
}

/** In the place of a notice that the page does not bring. In a new tab, so that nothing that was typed is left. */
function privacyLine(url: string, { privacy, privacyNotice }: FormStrings): Markup {
  const [before, after] = privacy.split("{notice}");
  const link = html`<a href="${url}" target="_blank" rel="noopener">${privacyNotice}</a>`;
  return html`<p class="privacy" part="privacy">${before}${link}${after}</p>`;
}

/** The problems that are listed above a form. A form of one field says the problem at the field only. */
export const issuesAbove = (fields: readonly FormField[], issues: readonly WordedIssue[]): readonly WordedIssue[] =>
  fields.length > 1 ? issues : issues.filter(({ field }) => field === undefined);

/** How a failure is shown that is not about fields. */
export interface Failing {
  /** The heading; without it the message is the heading. */
  readonly title?: string | undefined;
  readonly message?: string | undefined;
  /** Offers to send the form again as it is. */
  readonly retry?: boolean | undefined;
}

/** The summary above the form: what happened, and each problem as a link to its field. */
export function summaryMarkup(
  issues: readonly WordedIssue[],
  strings: FormStrings,
  { title, message, retry }: Failing = {},
): Markup {
  if (!issues.length && !message) return html``;
  const count = issues.length;
  const heading =
    title ?? (count > 0 ? filled(count > 1 ? strings.problemsMany : strings.problems, { count }) : message);
  // A link says the label of its field, unless the problem already names the field.
  const text = ({ field, text: words }: WordedIssue) => {
    const own = field && wordsOf(field, strings);
    return own && words !== own.missing ? `${own.label}: ${words}` : words;
  };
  const item = (issue: WordedIssue) =>
    issue.field ? html`<li><a href="#${issue.field.id}">${text(issue)}</a></li>` : html`<li>${text(issue)}</li>`;
  return html`<h2 id="summary-title" part="summary-title">${heading}</h2>
    ${message !== heading && message && html`<p>${message}</p>`}
    ${
      issues.length > 0 &&
      html`<ul>
        ${issues.map(item)}
      </ul>`
    }
    ${retry && html`<button type="submit" class="quiet" part="retry">${strings.retry}</button>`}`;
}

// A tick, or an envelope where the person has something left to do.
const signs = {
  done: html`<path d="m7 12.5 3.4 3.4L17 9.2" />`,
  mail: html`<path d="M6 8.5h12v8H6zm0 .5 6 4.5L18 9" />`,
};

function receiptMarkup(form: FormName, { message, reference, email }: FormReceipt, strings: FormStrings): Markup {
  const words = strings.forms[form];
  // Nothing is confirmed yet, so the address and the link come first.
  const isReader = form === "newsletter";
  const asks = isReader && email !== undefined && /\bconfirm\b/.test(message);
  const sentTo = isReader ? (asks ? strings.linkSentTo : strings.sentTo) : strings.writeTo;
  const [before, after] = sentTo.split("{email}");
  const change =
    isReader &&
    html`<button type="button" class="link" part="change" data-do="change" hidden>${strings.changeAddress}</button>`;
  const copy = html`<button type="button" class="quiet" part="copy" data-do="copy" hidden>${strings.copy}</button>`;
  return html`<section class="receipt" part="receipt" tabindex="-1" aria-labelledby="receipt-title" autofocus>
    <svg class="sign" aria-hidden="true" viewBox="0 0 24 24" width="40" height="40">
      <circle cx="12" cy="12" r="11" />
      ${signs[isReader ? "mail" : "done"]}
    </svg>
    <h2 id="receipt-title" part="receipt-title">${words.accepted}</h2>
    ${!asks && html`<p>${translated(message, strings)}</p>`}
    ${email && html`<p>${before}<strong>${email}</strong>${after} ${change}</p>`}
    ${asks && html`<p class="hint">${strings.openLink}</p>`}
    ${reference && html`<p class="reference"><span>${strings.reference}</span> <strong part="reference">${reference}</strong> ${copy} <span>${strings.referenceHint}</span></p>`}
    <button type="button" part="again" class="quiet" data-do="again" hidden>${words.again}</button>
  </section>`;
}

/** The address that a form posts to, of the service at a base address (which may be empty: the page's own). */
export const formAction = (form: FormName, base: string): string => base.replace(/\/+$/, "") + forms[form].path;
