// A form as it stands in its shadow root, whoever wrote it there: reads what was typed, shows what is wrong and how far
// the sending has come. It knows nothing of services.
import { fieldMarkup } from "@submissions/shared/forms/field-markup";
import { fieldsOf, idempotencyKeyField, type FieldName, type FormName } from "@submissions/shared/forms/form-fields";
import { issuesAbove, summaryMarkup } from "@submissions/shared/forms/form-markup";
import type { FormState } from "@submissions/shared/forms/form-state";
import type { FormStrings } from "@submissions/shared/forms/form-strings";
import { html, type Markup } from "@submissions/shared/html";
import { filled, issueOf, wordedIssues } from "@submissions/shared/forms/issue-words";
import type { Issue } from "@submissions/shared/faults";
import { sizeIn } from "./check-resume.ts";
import { fragmentOf } from "./fragment.ts";

/** Why a form was not sent, as the person is told. */
export interface Refusal {
  readonly issues: readonly Issue[];
  readonly message?: string | undefined;
  /** Whether sending it again as it is may help. */
  readonly retry?: boolean;
}

export class FormView {
  readonly form: HTMLFormElement;
  readonly #name: FormName;
  readonly #strings: FormStrings;
  #refusal: Refusal = { issues: [] };

  constructor(form: HTMLFormElement, name: FormName, strings: FormStrings) {
    this.form = form;
    this.#name = name;
    this.#strings = strings;
    // The browser's own bubbles show one problem at a time, in the browser's language.
    form.noValidate = true;
    const drop = form.querySelector(".drop");
    drop?.classList.add("scripted");
    this.showFile();
  }

  /** What was typed, ticked and chosen. */
  values(): FormData {
    const values = new FormData(this.form);
    values.delete(idempotencyKeyField);
    return values;
  }

  get fileInput(): HTMLInputElement | null {
    return this.form.querySelector("input[type=file]");
  }

  /** The chosen resume. */
  get file(): File | undefined {
    return this.fileInput?.files?.[0];
  }

  /** Shows which file is chosen. */
  showFile(): void {
    const file = this.file;
    const [invitation, chosen, remove] = [".invitation", ".chosen", "[data-do=remove]"].map((selector) =>
      this.form.querySelector<HTMLElement>(selector),
    );
    if (!invitation || !chosen || !remove) return;
    invitation.hidden = file !== undefined;
    chosen.hidden = remove.hidden = file === undefined;
    if (!file) return;
    fill(chosen, html`${file.name} <span>${sizeIn(this.#strings.lang, file.size)}</span>`);
    const [before, after] = this.#strings.fileRemove.split("{name}");
    // Short to look at, and complete to listen to.
    fill(remove, html`${before?.trim() || after?.trim()}`);
    remove.setAttribute("aria-label", filled(this.#strings.fileRemove, { name: file.name }));
  }

  /** Why the form was not sent; nothing, when it has no problem. */
  get refusal(): Refusal {
    return this.#refusal;
  }

  /** Shows the problems of the form, at its fields and above it. */
  showRefusal(refusal: Refusal): void {
    this.#refusal = refusal;
    const { issues, message, retry = false } = refusal;
    const worded = wordedIssues(this.#name, issues, this.#strings);
    for (const { name } of fieldsOf(this.#name)) this.#showIssue(name, issueOf(worded, name));
    const above = issuesAbove(this.#name, worded);
    const summary = this.#part("#summary");
    summary.hidden = above.length === 0 && message === undefined;
    fill(summary, summaryMarkup(above, this.#strings, message, { retry }));
  }

  /** Leads the person to what stands above the form, or to the one field. */
  focusRefusal(): void {
    const summary = this.#part("#summary");
    if (summary.hidden) this.focusFirst();
    else summary.focus();
  }

  /** Whether a field is shown as wrong. */
  isWrong(name: string): name is FieldName {
    return this.#refusal.issues.some(({ path }) => path[0] === name);
  }

  /** Shows what has become of one field. What stands above the form follows, if there is anything. */
  amend(name: FieldName, issue: Issue | undefined): void {
    const others = this.#refusal.issues.filter(({ path }) => path[0] !== name);
    const refusal = { ...this.#refusal, issues: issue ? [...others, issue] : others };
    if (!this.#part("#summary").hidden) return this.showRefusal(refusal);
    this.#refusal = refusal;
    this.#showIssue(name, issueOf(wordedIssues(this.#name, refusal.issues, this.#strings), name));
  }

  /** Where files are being dragged over the form. */
  set draggedOver(over: boolean) {
    this.form.querySelector(".drop")?.classList.toggle("over", over);
  }

  /** Leads the person to the beginning of the form. */
  focusFirst(): void {
    this.form.querySelector<HTMLElement>("[data-field] :is(input, textarea)")?.focus();
  }

  #showIssue(name: FieldName, text: string | undefined): void {
    const error = this.form.querySelector<HTMLElement>(`#${name}-error`);
    if (!error) return;
    error.hidden = text === undefined;
    if (error.textContent !== (text ?? "")) error.textContent = text ?? "";
    for (const control of this.controls(name)) {
      if (text === undefined) control.removeAttribute("aria-invalid");
      else control.setAttribute("aria-invalid", "true");
    }
  }

  /** The controls of a field: one, or a box for each package. */
  controls(name: string): HTMLElement[] {
    return [...this.form.querySelectorAll<HTMLElement>(`[name="${CSS.escape(name)}"]`)];
  }

  /** Says something to everybody, and politely. */
  say(text: string): void {
    this.#part(".status").textContent = text;
  }

  /** While it is sent, the form can be read and left, and not sent again. */
  set busy(busy: boolean) {
    for (const button of this.form.querySelectorAll("[type=submit]")) {
      if (busy) button.setAttribute("aria-disabled", "true");
      else button.removeAttribute("aria-disabled");
    }
    const cancel = this.#part("[data-do=cancel]");
    if (!busy && cancel.matches(":focus")) this.#part(".send [type=submit]").focus();
    cancel.hidden = !busy;
    if (!busy) this.form.querySelector("progress")!.hidden = true;
  }

  /** Shows how much of a resume is on its way; texts are there at once. */
  showProgress(percent: number): void {
    if (!this.file) return;
    const bar = this.form.querySelector("progress")!;
    // Those who listen are told at each quarter.
    const quarter = (value: number) => Math.floor(value / 25) * 25;
    const told = bar.hidden ? 0 : quarter(bar.value);
    bar.hidden = false;
    bar.value = percent;
    const { uploading, uploaded } = this.#strings;
    if (quarter(percent) !== told)
      this.say(percent < 100 ? filled(uploading, { percent: quarter(percent) }) : uploaded);
  }

  /** Puts the packages in their place, as they are known now. */
  showPackages(state: FormState): void {
    const field = fieldsOf(this.#name).find(({ kind }) => kind === "packages");
    const place = this.form.querySelector("[data-field=selectedPackageIds]");
    if (field && place) place.replaceWith(fragmentOf(fieldMarkup(field, state, []).text));
  }

  /** Says that the packages are on their way, or that they did not come. */
  showPackagesMissing(failed: boolean): void {
    const { packagesLoading, packagesFailed, retry } = this.#strings;
    const content = failed
      ? html`<p role="alert">${packagesFailed}</p>
          <button type="button" class="quiet" data-do="reload">${retry}</button>`
      : html`<p>${packagesLoading}</p>`;
    fill(this.#part(".boxes"), content);
  }

  #part(selector: string): HTMLElement {
    return this.form.querySelector<HTMLElement>(selector)!;
  }
}

const fill = (place: Element, markup: Markup) => place.replaceChildren(fragmentOf(markup.text));
