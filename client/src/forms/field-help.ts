// Helps while a form is filled in: the length of the cover letter, a likely e-mail address, `https://` in front of web
// addresses. None of it refuses anything.
import type { FormStrings } from "@submissions/shared/forms/form-strings";
import { filled } from "@submissions/shared/forms/issue-words";
import { html } from "@submissions/shared/html";
import type { Control, FormView } from "./form-view.ts";
import { completedUrl, likelyEmail } from "./typed-addresses.ts";

/** The text of a field has changed. */
export function helpTyping(view: FormView, control: Control, strings: FormStrings): void {
  const { value } = control;
  const { id, kind, rule } = view.field(control.name) ?? {};
  if (!id) return;
  // It belonged to the text before.
  if (kind === "email") view.note(id, undefined);
  if (kind !== "paragraphs" || !rule) return;
  const number = (count: number) => count.toLocaleString(strings.lang);
  const count = number(Array.from(value.trim()).length);
  const text = filled(strings.length, { count, max: number(rule.lengthMax) });
  view.note(id, value === "" ? undefined : html`${text}`);
}

/** A field was left after its text has changed. */
export function helpTyped(view: FormView, control: Control, strings: FormStrings): void {
  if (control.type === "url") control.value = completedUrl(control.value);
  if (control.name !== "email") return;
  const likely = likelyEmail(control.value.trim());
  const [before, after] = strings.suggestion.split("{email}");
  const button = html`<button type="button" class="link" data-do="suggestion">
    ${before}<strong>${likely}</strong>${after}
  </button>`;
  view.note("email", likely === undefined ? undefined : button);
}

/** Completes what was typed just before the form is sent. */
export function completeTyped(view: FormView): void {
  for (const { name, kind } of view.fields)
    if (kind === "url") for (const control of view.controls(name)) control.value = completedUrl(control.value);
}

/** Puts the suggested address into its field. Returns the control. */
export function takeSuggestion(view: FormView): Control {
  const control = view.controls("email")[0]!;
  control.value = likelyEmail(control.value.trim()) ?? control.value;
  control.focus();
  view.note("email", undefined);
  return control;
}
