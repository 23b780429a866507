// A form as it stands in its shadow root, written by the element or by the server: reads its values, and shows problems
// and progress. It knows nothing of services.
import { fieldMarkup } from "@submissions/shared/forms/field-markup";
import { packageIdsOf, type FormField, type FormName } from "@submissions/shared/forms/form-fields";
import { positionField } from "@submissions/shared/application-fields";
import { otherPosition, otherPositionField } from "@submissions/shared/hidden-fields";
import { idempotencyKeyField } from "@submissions/shared/further-names";
import { issuesAbove, summaryMarkup, type Failing } from "@submissions/shared/forms/form-markup";
import type { FormState, PackageChoice } from "@submissions/shared/forms/form-state";
import type { FormStrings } from "@submissions/shared/forms/form-strings";
import { html, type Markup } from "@submissions/shared/html";
import { filled, issueOf, wordedIssues } from "@submissions/shared/forms/issue-words";
import { sizeIn } from "@submissions/shared/size";
import type { Issue } from "@submissions/shared/faults";
import type { Typed } from "./draft.ts";
import { fragmentOf } from "./fragment.ts";

/** A control that texts are typed into, or that is ticked or chosen. */
export type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** Why a form was not sent. */
export interface Refusal extends Failing {
  readonly issues: readonly Issue[];
}

/** Those of the packages: a field of the page may have a box, too. */
const packageBoxes = ".packages .boxes";
const controlsOfFields = "[data-field] :is(input, textarea, select)";

export class FormView {
  readonly form: HTMLFormElement;
  readonly name: FormName;
  /** Those of the page's own among them. */
  readonly fields: readonly FormField[];
  readonly #strings: FormStrings;
  #refusal: Refusal = { issues: [] };

  constructor(form: HTMLFormElement, name: FormName, fields: readonly FormField[], strings: FormStrings) {
    this.form = form;
    this.name = name;
    this.fields = fields;
    this.#strings = strings;
    // The browser's own messages show one problem at a time, in the browser's language.
    form.noValidate = true;
    // They would cut what is pasted; this script says what is too long.
    for (const one of form.querySelectorAll("[maxlength]")) one.removeAttribute("maxlength");
    form.querySelector(".drop")?.classList.add("scripted");
    this.showFile();
  }

  /** Everything that was typed, ticked and chosen. */
  values(): FormData {
    const values = new FormData(this.form);
    values.delete(idempotencyKeyField);
    const other = values.get(otherPositionField);
    values.delete(otherPositionField);
    if (other !== null && values.get(positionField) === otherPosition) values.set(positionField, other);
    return values;
  }

  /** Whether anything was typed or ticked before this script took over. */
  get isChanged(): boolean {
    return [...this.form.querySelectorAll<Control>(controlsOfFields)].some(isChanged);
  }

  /** The packages that the markup ticks or names. */
  get namedPackages(): string[] {
    return this.controls("selectedPackageIds").flatMap((control) => {
      if (control.type !== "checkbox") return packageIdsOf([(control as HTMLInputElement).defaultValue]);
      return isTickedFirst(control) ? [control.value] : [];
    });
  }

  /** Puts a draft into the fields. What a person has changed since the page came is newer and stays. */
  fill(typed: Typed): void {
    for (const [name, texts] of Object.entries(typed)) {
      for (const control of this.controls(name).filter((one) => !isChanged(one))) {
        if (control.type === "checkbox") (control as HTMLInputElement).checked = texts.includes(control.value);
        else if (control.type !== "hidden" && control.type !== "file") control.value = texts.join("\n");
      }
    }
  }

  get fileInput(): HTMLInputElement | null {
    return this.form.querySelector("input[type=file]");
  }

  /** The chosen resume. */
  get file(): File | undefined {
    return this.fileInput?.files?.[0];
  }

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
    // The label is short; its accessible name says which file.
    const short = before?.trim() || after?.trim() || "";
    fill(remove, html`${short.charAt(0).toLocaleUpperCase(this.#strings.lang)}${short.slice(1)}`);
    remove.setAttribute("aria-label", filled(this.#strings.fileRemove, { name: file.name }));
  }

  /** Why the form was not sent. Without issues and message it has no problem. */
  get refusal(): Refusal {
    return this.#refusal;
  }

  /** Shows the problems of the form, at its fields and above it. */
  showRefusal(refusal: Refusal): void {
    this.#refusal = refusal;
    const worded = wordedIssues(this.fields, refusal.issues, this.#strings);
    for (const field of this.fields) this.#showIssue(field, issueOf(worded, field.name));
    const above = issuesAbove(this.fields, worded);
    const summary = this.#part("#summary");
    summary.hidden = above.length === 0 && refusal.message === undefined;
    fill(summary, summaryMarkup(above, this.#strings, refusal));
  }

  /** Moves the focus to the summary, or to the field of a form that has one only. */
  focusRefusal(): void {
    const summary = this.#part("#summary");
    if (summary.hidden) this.focusFirst();
    else summary.focus();
  }

  /** Whether a field has a problem. */
  isWrong(name: string): boolean {
    return this.#refusal.issues.some(({ path }) => path[0] === name);
  }

  /** Shows or removes the problem of one field, there and in the summary. */
  amend(name: string, issue: Issue | undefined): void {
    const others = this.#refusal.issues.filter(({ path }) => path[0] !== name);
    const refusal = { ...this.#refusal, issues: issue ? [...others, issue] : others };
    if (!this.#part("#summary").hidden) return this.showRefusal(refusal);
    this.#refusal = refusal;
    const field = this.field(name);
    if (field) this.#showIssue(field, issueOf(wordedIssues(this.fields, refusal.issues, this.#strings), name));
  }

  /** Whether files are dragged over the form. */
  set draggedOver(over: boolean) {
    this.form.querySelector(".drop")?.classList.toggle("over", over);
  }

  focusFirst(): void {
    this.form.querySelector<HTMLElement>(controlsOfFields)?.focus();
  }

  /** The field of a name; undefined: the form has none. */
  field(name: string): FormField | undefined {
    return this.fields.find((field) => field.name === name);
  }

  #showIssue({ name, id }: FormField, text: string | undefined): void {
    const error = this.form.querySelector<HTMLElement>(`#${id}-error`);
    if (!error) return;
    error.hidden = text === undefined;
    if (error.textContent !== (text ?? "")) error.textContent = text ?? "";
    for (const control of this.controls(name)) {
      if (text === undefined) control.removeAttribute("aria-invalid");
      else control.setAttribute("aria-invalid", "true");
    }
  }

  /** Shows something below a field that is no problem, or nothing. */
  note(id: string, content: Markup | undefined): void {
    const place = this.form.querySelector<HTMLElement>(`#${id}-note`);
    if (!place) return;
    place.hidden = content === undefined;
    fill(place, content ?? html``);
  }

  /** The controls of a field: one, or a box for each package. */
  controls(name: string): Control[] {
    return [...this.form.querySelectorAll<Control>(`[name="${CSS.escape(name)}"]`)];
  }

  /** Shows a status and announces it politely. */
  say(text: string): void {
    const status = this.#part(".status");
    if (status.textContent !== text) status.textContent = text;
  }

  /** Locks the form while it is sent: it can be read and left, and not changed or sent again. */
  set busy(busy: boolean) {
    const { form } = this;
    form.classList.toggle("busy", busy);
    for (const button of form.querySelectorAll("[type=submit]")) button.ariaDisabled = busy ? "true" : null;
    for (const control of form.querySelectorAll<Control>(controlsOfFields))
      (control as HTMLInputElement).readOnly = busy;
    const cancel = this.#part("[data-do=cancel]");
    if (!busy && cancel.matches(":focus")) this.#part(".send [type=submit]").focus();
    cancel.hidden = !busy;
    if (!busy) this.#progress.hidden = this.#part(".percent").hidden = true;
  }

  get busy(): boolean {
    return this.form.classList.contains("busy");
  }

  get #progress(): HTMLProgressElement {
    return this.form.querySelector("progress")!;
  }

  /** Shows how much of a resume is uploaded, in the bar and in digits. */
  showProgress(percent: number): void {
    if (!this.file) return;
    const digits = this.#part(".percent");
    // Rounded down, so that 100 % is all of it.
    const whole = Math.floor(percent);
    this.#progress.hidden = digits.hidden = false;
    this.#progress.value = whole;
    digits.textContent = (whole / 100).toLocaleString(this.#strings.lang, { style: "percent" });
    if (whole >= 100) this.say(this.#strings.uploaded);
  }

  /** Whether the form has a place for packages: a page may offer none. */
  get asksForPackages(): boolean {
    return this.form.querySelector(packageBoxes) !== null;
  }

  showPackages(state: FormState): void {
    const field = this.fields.find(({ kind }) => kind === "packages");
    const place = this.form.querySelector("[data-field=selectedPackageIds]");
    if (field && place) place.replaceWith(fragmentOf(fieldMarkup(field, state, []).text));
  }

  /** Says that the packages are loading, or that they could not be loaded. */
  showPackagesMissing(failed: boolean): void {
    const { packagesLoading, packagesFailed, retry } = this.#strings;
    const content = failed
      ? html`<p role="alert">${packagesFailed}</p>
          <button type="button" class="quiet" data-do="reload">${retry}</button>`
      : html`<p>${packagesLoading}</p>`;
    fill(this.#part(packageBoxes), content);
  }

  #part(selector: string): HTMLElement {
    return this.form.querySelector<HTMLElement>(selector)!;
  }
}

const isTickedFirst = (control: Control) => (control as HTMLInputElement).defaultChecked;

/** Whether a control holds something else than its markup says. */
function isChanged(control: Control): boolean {
  if (control.type === "checkbox") return (control as HTMLInputElement).checked !== isTickedFirst(control);
  // A list has no such text: a draft goes over what was chosen.
  return control.type !== "file" && "defaultValue" in control && control.value !== control.defaultValue;
}

const fill = (place: Element, markup: Markup) => place.replaceChildren(fragmentOf(markup.text));

/** The packages in a form that the server wrote: a list, any (null), or unknown (undefined). */
export function packagesIn(frame: HTMLElement): readonly PackageChoice[] | null | undefined {
  const boxes = [...frame.querySelectorAll<HTMLInputElement>(`${packageBoxes} input`)];
  if (boxes.length > 0)
    return boxes.map(({ value, labels }) => ({ id: value, title: labels?.[0]?.innerText ?? value }));
  return frame.querySelector(".packages textarea") ? null : undefined;
}
