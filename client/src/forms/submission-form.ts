// What the elements share: the form in its shadow root, from the first rendering to the receipt. The server may
// have written the form there; then the element takes it over with everything that was typed into it.
import { positionField } from "@submissions/shared/application-fields";
import type { Issue } from "@submissions/shared/faults";
import { fieldOfKind } from "@submissions/shared/field-table";
import { forms, type FormField, type FormName } from "@submissions/shared/forms/form-fields";
import { formAction, formMarkup } from "@submissions/shared/forms/form-markup";
import type { FormReceipt, FormState } from "@submissions/shared/forms/form-state";
import type { FormStrings } from "@submissions/shared/forms/form-strings";
import { campaignIn, formFields } from "@submissions/shared/forms/own-fields";
import { altchaField, consentPageField, consentTextField } from "@submissions/shared/hidden-fields";
import { referenceIn } from "@submissions/shared/kinds";
import { SubmissionError } from "../sdk/submission-error.ts";
import { checkValues } from "./check-values.ts";
import { Draft, restored, typedIn, type Typed } from "./draft.ts";
import { failureWords } from "./failure-words.ts";
import { completeTyped, helpTyped, helpTyping, takeSuggestion } from "./field-help.ts";
import { formConfig, type FormConfig } from "./form-config.ts";
import { FormElement, type FormValues } from "./form-element.ts";
import { FormView, packagesIn, type Refusal, type Control } from "./form-view.ts";
import { fragmentOf } from "./fragment.ts";
import { fileChosen, fileDragged, fileIssue, removeFile } from "./resume-field.ts";
import { sendForm, type ReceiptDetail } from "./send-form.ts";
import { SubmissionKey } from "./submission-key.ts";

/** The detail of `submission-refused`. */
export interface RefusalDetail {
  readonly issues: readonly Issue[];
  /** What the form shows beside the issues. */
  readonly message: string | undefined;
  /** The failure of the request; undefined when the form itself found the issues. */
  readonly error: SubmissionError | undefined;
}

/** A form of the service as an element. */
export abstract class SubmissionForm extends FormElement {
  protected abstract readonly formName: FormName;
  #strings!: FormStrings;
  /** Null while a receipt is shown. */
  #view: FormView | null = null;
  #sending: AbortController | null = null;
  /** Something has changed that the form shows after sending. */
  #outdated = false;
  #openings: FormConfig["openings"];
  #draft: Draft | null = null;
  /** Whether the person has changed anything since the form began. */
  #touched = false;
  /** Whether a pointer is pressed on something in the form. */
  #pressed = false;
  readonly #release = () => (this.#pressed = false);
  readonly #key = new SubmissionKey();

  protected begin(root: ShadowRoot): void {
    this.#listen(root);
    this.#strings = this.texts;
    this.#draft = new Draft(this);
    this.#key.state = this.#draft.read()?.key ?? this.#key.state;
    const values = this.#firstValues();
    const frame = root.querySelector<HTMLElement>(".frame");
    if (!frame || frame.lang !== this.#strings.lang) return this.#render(values);
    this.learnPackages(packagesIn(frame));
    this.#takeOver(frame);
    if (this.#view) this.#restore(this.#view);
    this.#findPackages(values);
  }

  /** Puts the draft into a form that the server has written. A person may have begun to fill it in. */
  #restore(view: FormView): void {
    const isBegun = view.isChanged;
    view.fill(this.#kept(view.namedPackages));
    if (isBegun) this.#keep(view);
  }

  protected refresh(): void {
    this.#outdated = this.#sending !== null;
    if (!this.#view || this.#outdated) return;
    const { refusal } = this.#view;
    const focused = this.shadowRoot!.activeElement?.id;
    this.#render(typedIn(this.#view.values()));
    this.#view.showRefusal(refusal);
    if (focused) this.shadowRoot!.getElementById(focused)?.focus();
  }

  protected restart(): void {
    // A refusal is shown in the form that was sent.
    if (this.#view && !this.#sending) this.#render(this.#touched ? this.values : this.#firstValues());
  }

  /** The page's first values, with the draft over them. */
  #firstValues(): FormValues {
    return { ...this.values, ...this.#kept(this.#namedPackages) };
  }

  /** What was typed before the page was loaded again, with the packages that a link has named since. */
  #kept(named: readonly string[]): Typed {
    const kept = this.#draft?.read();
    return kept ? restored(kept, named) : {};
  }

  get #namedPackages(): string[] {
    return [this.values["selectedPackageIds"] ?? []].flat();
  }

  #keep(view: FormView): void {
    // While the packages are loading none of them can have been ticked or unticked.
    const isLoading = view.controls("selectedPackageIds").length === 0;
    const { selectedPackageIds } = this.#kept(this.#namedPackages);
    const ticked = isLoading ? { selectedPackageIds: selectedPackageIds ?? this.#namedPackages } : {};
    this.#draft?.write({ typed: { ...ticked, ...typedIn(view.values()) }, key: this.#key.state });
  }

  #render(values: FormValues, receipt?: FormReceipt): void {
    const root = this.shadowRoot!;
    const fileInput = this.#view?.fileInput;
    this.#strings = this.texts;
    root.querySelector(".frame")?.remove();
    const fragment = fragmentOf(formMarkup(this.formName, { ...this.#state(values), receipt }).text);
    // Meant for pages of the server. Here the focus stays where the person is.
    fragment.querySelector("[autofocus]")?.removeAttribute("autofocus");
    root.append(fragment);
    // Only a person can put a file into an input.
    if (fileInput?.files?.length) root.querySelector("input[type=file]")?.replaceWith(fileInput);
    this.#takeOver(root.querySelector<HTMLElement>(".frame")!);
    this.#findPackages(values);
  }

  #state(values: FormValues): FormState {
    return {
      action: formAction(this.formName, this.endpoint ?? ""),
      values: { source: this.getAttribute("source") ?? "", ...values },
      issues: [],
      packages: this.packages,
      fields: this.fields,
      openings: this.#openings,
      strings: this.#strings,
      privacy: {
        url: this.getAttribute("privacy") ?? undefined,
        consent: this.getAttribute("consent") ?? undefined,
      },
      idempotencyKey: "",
    };
  }

  get #fields(): readonly FormField[] {
    return formFields(this.formName, this.fields, this.#strings);
  }

  /** Takes over the form or the receipt that stands in the shadow root. */
  #takeOver(frame: HTMLElement): void {
    const form = frame.querySelector("form");
    this.#view = form && new FormView(form, this.formName, this.#fields, this.#strings);
    for (const button of frame.querySelectorAll<HTMLElement>(".receipt [data-do]"))
      button.hidden = button.dataset["do"] === "copy" && !navigator.clipboard;
  }

  /** Asks the service for the packages when neither the page nor the server's markup has them. */
  #findPackages(values: FormValues): void {
    const { fields } = forms[this.formName];
    if (fieldOfKind(fields, "packages") && this.packages === undefined && this.#view?.asksForPackages)
      void this.#loadPackages(values);
    // Any failure: the position is typed.
    if (positionField in fields && this.endpoint && !this.#openings)
      this.#loadOpenings(this.endpoint).catch(() => undefined);
  }

  /** Offers the openings of the service, where it has some. */
  async #loadOpenings(endpoint: string): Promise<void> {
    const { openings } = await formConfig(endpoint);
    this.#openings = openings;
    if (openings && !this.#view?.form.querySelector(`select[name=${positionField}]`)) this.refresh();
  }

  async #loadPackages(values: FormValues): Promise<void> {
    const view = this.#view;
    const endpoint = this.knownEndpoint();
    if (endpoint === undefined) return view?.showPackagesMissing(true);
    view?.showPackagesMissing(false);
    try {
      const { packages } = await formConfig(endpoint);
      if (view !== this.#view) return;
      this.learnPackages(packages);
      view?.showPackages(this.#state(values));
    } catch (error) {
      // Any failure: the form says that they are missing, the console why.
      console.warn("The packages could not be loaded.", error);
      view?.showPackagesMissing(true);
    }
  }

  #listen(root: ShadowRoot): void {
    const on = (type: string, listener: (event: Event, view: FormView) => void, options?: AddEventListenerOptions) =>
      root.addEventListener(type, (event) => this.#view && listener(event, this.#view), options);
    on("submit", (event, view) => {
      event.preventDefault();
      void this.#submit(view);
    });
    root.addEventListener("pointerdown", () => {
      this.#pressed = true;
      for (const type of ["pointerup", "pointercancel"]) addEventListener(type, this.#release, { once: true });
    });
    root.addEventListener("click", (event) => this.#click(event));
    on("input", ({ target }, view) => this.#typed(target as Control, view));
    on("change", ({ target }, view) => this.#changed(target as Control, view));
    // Asked for early, so that sending need not wait for it.
    on("focusin", () => void (this.endpoint && formConfig(this.endpoint).catch(() => {})), { once: true });
    for (const type of ["dragover", "dragleave", "drop"])
      on(type, (event, view) => fileDragged(event as DragEvent, view, this.#strings, view.busy));
  }

  #click(event: Event): void {
    const target = event.target as Element;
    const view = this.#view;
    const link = target.closest<HTMLAnchorElement>(".summary a");
    if (link) {
      // A link cannot lead into a shadow root.
      event.preventDefault();
      const field = view?.fields.find(({ id }) => id === link.hash.slice(1));
      if (field) view?.controls(field.name)[0]?.focus();
    }
    const button = target.closest<HTMLElement>("[data-do]");
    const wanted = button?.dataset["do"];
    if (wanted === "cancel") this.#sending?.abort();
    else if (wanted === "reload") void this.#loadPackages(this.values);
    else if (wanted === "again") this.#beginAgain({});
    else if (wanted === "change")
      this.#beginAgain({ email: this.shadowRoot!.querySelector(".receipt strong")!.textContent });
    else if (wanted === "copy") void this.#copyReference(button!);
    // Boxes and files cannot be read-only.
    else if (view?.busy && target.closest("[data-field]")) event.preventDefault();
    else if (view && wanted === "remove") removeFile(view, this.#strings);
    else if (view && wanted === "suggestion") this.#typed(takeSuggestion(view), view);
  }

  #beginAgain(values: FormValues): void {
    this.#render(values);
    this.#view?.focusFirst();
  }

  async #copyReference(button: HTMLElement): Promise<void> {
    const reference = this.shadowRoot!.querySelector(".reference strong")!.textContent;
    await navigator.clipboard.writeText(reference).then(
      () => (button.textContent = this.#strings.copied),
      // NotAllowedError: the browser or the page denies it. The reference can still be selected.
      () => (button.hidden = true),
    );
  }

  /** Checks a field with a problem again, and keeps the draft. */
  #typed(control: Control, view: FormView): void {
    const { name } = control;
    this.#touched = true;
    this.#keep(view);
    helpTyping(view, control, this.#strings);
    if (!view.isWrong(name) || name === "resumeFile") return;
    view.amend(
      name,
      checkValues(view.fields, view.values()).find(({ path }) => path[0] === name),
    );
  }

  #changed(control: Control, view: FormView): void {
    if (control === view.fileInput) return void fileChosen(view, this.#strings);
    const help = () => {
      helpTyped(view, control, this.#strings);
      this.#keep(view);
    };
    if (!this.#pressed) return help();
    // A suggestion moves what is below it. A button that moves away under a pressed pointer gets no click.
    addEventListener("pointerup", () => setTimeout(help), { once: true });
  }

  async #submit(view: FormView): Promise<void> {
    if (this.#sending) return;
    const { signal } = (this.#sending = new AbortController());
    try {
      completeTyped(view);
      const values = view.values();
      const wrongFile = await fileIssue(view, this.#strings);
      const issues = [...checkValues(view.fields, values), ...(wrongFile ? [wrongFile] : [])];
      if (issues.length > 0) return this.#refuse(view, { issues });
      const endpoint = this.knownEndpoint();
      const { failed, kept, notSent } = this.#strings;
      if (endpoint === undefined) return this.#refuse(view, { issues, title: notSent, message: `${failed} ${kept}` });
      view.showRefusal({ issues: [] });
      view.busy = true;
      view.say(this.#strings.sending);
      const answer = this.#send(values, view, endpoint, signal);
      this.#accept(await Promise.race([answer, abortOf(signal)]), values);
    } catch (error) {
      if (signal.aborted) view.say(this.#strings.cancelled);
      else this.#fail(view, error);
    } finally {
      this.#sending = null;
      view.busy = false;
      if (this.#outdated) this.refresh();
    }
  }

  #send(values: FormData, view: FormView, endpoint: string, signal: AbortSignal): Promise<ReceiptDetail> {
    const source = this.getAttribute("source");
    if (source !== null) values.set("source", source);
    for (const field of view.fields) {
      const found = campaignIn(field, location.search);
      if (found !== null) values.set(field.name, found);
    }
    const consent = this.getAttribute("consent");
    if (consent !== null) {
      values.set(consentTextField, consent);
      values.set(consentPageField, location.origin + location.pathname);
    }
    const key = this.#key.of(values);
    // With its key: a page that is loaded again meanwhile sends the same submission again.
    this.#keep(view);
    return sendForm(this.formName, values, {
      endpoint,
      key,
      signal,
      onStage: (stage) => view.say(this.#strings[stage]),
      onProgress: (percent) => view.showProgress(percent),
    });
  }

  #accept(detail: ReceiptDetail, values: FormData): void {
    this.#draft?.forget();
    const told = new CustomEvent("submission-accepted", { detail, bubbles: true, composed: true, cancelable: true });
    // The page shows something of its own. The form still holds what was sent, and a late second click must not store it
    // again.
    if (!this.dispatchEvent(told)) return this.#view?.say("");
    this.#key.spend();
    const reference = referenceIn(detail);
    const email = (values.get("email") as string).trim();
    const focus = this.#mayFocus();
    this.#render({}, { message: detail.message, reference, email });
    if (focus) this.shadowRoot!.querySelector<HTMLElement>(".receipt")?.focus();
  }

  #fail(view: FormView, error: unknown): void {
    if (!(error instanceof SubmissionError)) {
      const { failed, uncertain, unconfirmed } = this.#strings;
      this.#refuse(view, { issues: [], title: unconfirmed, message: `${failed} ${uncertain}`, retry: true });
      throw error;
    }
    const { endpoint = "" } = this;
    if (error.code === "FORBIDDEN" && error.cause instanceof Error) console.warn(error.cause.message);
    if (error.code === "UNEXPECTED_RESPONSE") console.warn(`${endpoint} is not the submission service.`);
    // What is said of a proof of work is for programmers. The message is for people.
    const issues = error.issues.filter(({ path }) => path[0] !== altchaField);
    // Problems that are shown at their fields need no other message.
    if (issues.length > 0) this.#refuse(view, { issues }, error);
    else this.#refuse(view, { issues, ...failureWords(error, this.#strings), retry: true }, error);
  }

  #refuse(view: FormView, refusal: Refusal, error?: SubmissionError): void {
    const focus = this.#mayFocus();
    view.say("");
    view.showRefusal(refusal);
    if (focus) view.focusRefusal();
    const { issues, message } = refusal;
    const detail: RefusalDetail = { issues, message, error };
    this.dispatchEvent(new CustomEvent("submission-refused", { detail, bubbles: true, composed: true }));
  }

  /** Whether the person is at the form. The focus of a person who has gone on in the page is not moved. */
  #mayFocus(): boolean {
    return this.matches(":focus-within") || document.activeElement === document.body;
  }
}

const abortOf = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
