// What the three elements have in common: the form in its shadow root, from the first look to the receipt. The server may
// have written that form there already; then it is taken over as it is, with whatever was typed into it.
import type { Issue } from "@submissions/shared/faults";
import type { FormName } from "@submissions/shared/forms/form-fields";
import { formAction, formMarkup } from "@submissions/shared/forms/form-markup";
import type { FormReceipt, FormState, PackageChoice } from "@submissions/shared/forms/form-state";
import type { FormStrings } from "@submissions/shared/forms/form-strings";
import type { StringsOverride } from "@submissions/shared/forms/override-strings";
import { SubmissionError } from "../sdk/submission-error.ts";
import { checkValues } from "./check-values.ts";
import { failureWords } from "./failure-words.ts";
import { endpointOf, formConfig } from "./form-config.ts";
import { languageLoading, stringsFor } from "./form-languages.ts";
import { packagesIn, style } from "./form-frame.ts";
import { FormView, type Refusal } from "./form-view.ts";
import { fragmentOf } from "./fragment.ts";
import { fileChosen, fileDragged, fileIssue, removeFile } from "./resume-field.ts";
import { sendForm, type ReceiptDetail, type Sending } from "./send-form.ts";
import { SubmissionKey } from "./submission-key.ts";

/** What a form begins with. */
export type FormValues = FormState["values"];

/** What comes with `submission-refused`. */
export interface RefusalDetail {
  readonly issues: readonly Issue[];
  /** What the person was told, beside the issues. */
  readonly message: string | undefined;
  /** What the service, or the way to it, said; undefined when the form itself found the issues. */
  readonly error: SubmissionError | undefined;
}

// Frameworks import elements on servers too, where there are none.
const PageElement = globalThis.HTMLElement ?? Object;

const ownProperties = ["endpoint", "packages", "strings", "values"] as const;

/** A form of the service, as an element. */
export abstract class SubmissionForm extends PageElement {
  static readonly observedAttributes: readonly string[] = ["lang", "packages", "values"];

  protected abstract readonly formName: FormName;
  #override: StringsOverride = {};
  #values: FormValues = {};
  /** Undefined: the service has to be asked. */
  #packages: readonly PackageChoice[] | null | undefined;
  #strings!: FormStrings;
  /** Null while a receipt stands in the form's place. */
  #view: FormView | null = null;
  #sending: AbortController | null = null;
  #begun = false;
  /** Something has changed that the form shows only once it is not being sent any more. */
  #outdated = false;
  #around: MutationObserver | null = null;
  #offline = false;
  readonly #key = new SubmissionKey();

  /** Words to be said differently: `{ fields: { name: { label: "Name of the buyer" } } }`. */
  get strings(): StringsOverride {
    return this.#override;
  }
  set strings(override: StringsOverride | undefined) {
    if (same(override, this.#override)) return;
    this.#override = override ?? {};
    this.#refresh();
  }

  /** The packages to choose from, as identifiers or with titles; null: any may be typed; by default the service's. */
  get packages(): readonly PackageChoice[] | null | undefined {
    return this.#packages;
  }
  set packages(packages: readonly (string | PackageChoice)[] | null | undefined) {
    const choices =
      packages?.map((one) => (typeof one === "string" ? { id: one, title: one } : one)) ?? (packages as null);
    if (same(choices, this.#packages)) return;
    this.#packages = choices;
    this.#refresh();
  }

  /** What the fields hold at first, by their names. */
  get values(): FormValues {
    return this.#values;
  }
  set values(values: FormValues | undefined) {
    if (same(values, this.#values)) return;
    this.#values = values ?? {};
    if (this.#view) this.#render(this.#values);
  }

  /** Base address of the service, the attribute of that name; by default where the service served this script. */
  get endpoint(): string | undefined {
    return endpointOf(this.getAttribute("endpoint"));
  }
  set endpoint(address: string | undefined) {
    if (address === undefined) this.removeAttribute("endpoint");
    else this.setAttribute("endpoint", address);
  }

  connectedCallback(): void {
    window.addEventListener("online", this.#cameOnline);
    this.#around ??= new MutationObserver(() => this.#speak());
    this.#around.observe(document, { subtree: true, attributeFilter: ["lang"] });
    if (this.#begun) return this.#speak();
    // Set before this script was loaded, and until now in the accessors' way.
    for (const name of ownProperties) {
      if (!Object.hasOwn(this, name)) continue;
      const value: unknown = this[name];
      delete (this as Partial<this>)[name];
      Object.assign(this, { [name]: value });
    }
    void this.#inItsLanguage(() => {
      if (!this.#begun) this.#begin();
    });
  }

  disconnectedCallback(): void {
    window.removeEventListener("online", this.#cameOnline);
    this.#around?.disconnect();
  }

  attributeChangedCallback(name: string, _before: string | null, text: string | null): void {
    if (name === "lang") return this.#speak();
    try {
      const value: unknown = text === null ? undefined : JSON.parse(text);
      if (name === "packages") this.packages = value as readonly string[];
      else this.values = (value ?? {}) as FormValues;
    } catch (error) {
      // SyntaxError: a mistake of the page's author, who has to hear of it; the form does without.
      reportError(new Error(`The attribute ${name} must hold JSON.`, { cause: error }));
    }
  }

  // At once where that is possible: a form that comes later moves what is below it.
  async #inItsLanguage(then: () => void): Promise<void> {
    const loading = this.isConnected && languageLoading(this);
    if (loading) await loading;
    then();
  }

  /** Goes over to the language that is spoken around by now. */
  #speak(): void {
    void this.#inItsLanguage(() => {
      if (this.#begun && stringsFor(this, this.#override).lang !== this.#strings.lang) this.#refresh();
    });
  }

  #begin(): void {
    this.#begun = true;
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    style(root);
    this.#listen(root);
    this.#strings = stringsFor(this, this.#override);
    // Pages may set the address after the element.
    setTimeout(() => this.isConnected && this.#knownEndpoint());
    const frame = root.querySelector<HTMLElement>(".frame");
    if (!frame || frame.lang !== this.#strings.lang) return this.#render(this.#values);
    this.#packages ??= packagesIn(frame);
    this.#takeOver(frame);
    this.#findPackages(this.#values);
  }

  /** The address of the service. Reports a missing one to the author of the page. */
  #knownEndpoint(): string | undefined {
    const { endpoint } = this;
    if (endpoint === undefined)
      console.error(
        `<${this.localName}> has no "endpoint" attribute with the address of the service. It sends nothing.`,
      );
    return endpoint;
  }

  /** Writes the form anew in changed words, with what is in it and what is wrong with it. */
  #refresh(): void {
    this.#outdated = this.#sending !== null;
    if (!this.#view || this.#outdated) return;
    const { refusal } = this.#view;
    const focused = this.shadowRoot!.activeElement?.id;
    const values: Record<string, string[]> = {};
    for (const [name, value] of this.#view.values()) {
      if (typeof value === "string") (values[name] ??= []).push(value);
    }
    this.#render(values);
    this.#view.showRefusal(refusal);
    if (focused) this.shadowRoot!.getElementById(focused)?.focus();
  }

  #render(values: FormValues, receipt?: FormReceipt): void {
    const root = this.shadowRoot!;
    const fileInput = this.#view?.fileInput;
    this.#strings = stringsFor(this, this.#override);
    root.querySelector(".frame")?.remove();
    const fragment = fragmentOf(formMarkup(this.formName, { ...this.#state(values), receipt }).text);
    // For pages that come from the server as they are; here the focus is where the person is.
    fragment.querySelector("[autofocus]")?.removeAttribute("autofocus");
    root.append(fragment);
    // Nobody but the person can put a file into an input.
    if (fileInput?.files?.length) root.querySelector("input[type=file]")?.replaceWith(fileInput);
    this.#takeOver(root.querySelector<HTMLElement>(".frame")!);
    this.#findPackages(values);
  }

  #state(values: FormValues): FormState {
    return {
      action: formAction(this.formName, this.endpoint ?? ""),
      values: { source: this.getAttribute("source") ?? "", ...values },
      issues: [],
      packages: this.#packages === undefined ? [] : this.#packages,
      strings: this.#strings,
      idempotencyKey: "",
    };
  }

  /** Makes the best of a form, or a receipt, that stands in the shadow root. */
  #takeOver(frame: HTMLElement): void {
    const form = frame.querySelector("form");
    this.#view = form && new FormView(form, this.formName, this.#strings);
    for (const again of frame.querySelectorAll<HTMLElement>("[data-do=again]")) again.hidden = false;
  }

  /** Asks the service for the packages when neither the page nor the server's markup has them. */
  #findPackages(values: FormValues): void {
    if (this.formName === "inquiry" && this.#packages === undefined) void this.#loadPackages(values);
  }

  async #loadPackages(values: FormValues): Promise<void> {
    const view = this.#view;
    const endpoint = this.#knownEndpoint();
    if (endpoint === undefined) return view?.showPackagesMissing(true);
    view?.showPackagesMissing(false);
    try {
      const { packages } = await formConfig(endpoint);
      if (view !== this.#view) return;
      this.#packages = packages;
      view?.showPackages(this.#state(values));
    } catch (error) {
      // Whatever kept the answer away: the person sees that, and the page's author why.
      console.warn("The packages could not be loaded.", error);
      view?.showPackagesMissing(true);
    }
  }

  #listen(root: ShadowRoot): void {
    const on = (type: string, listener: (event: Event) => void) => root.addEventListener(type, listener);
    on("submit", (event) => {
      event.preventDefault();
      void this.#submit();
    });
    on("click", (event) => this.#click(event));
    on("input", ({ target }) => this.#typed(target as HTMLInputElement));
    on("change", ({ target }) => {
      if (this.#view && target === this.#view.fileInput) void fileChosen(this.#view, this.#strings);
    });
    // Asked for early, so that sending need not wait for it.
    root.addEventListener("focusin", () => void (this.endpoint && formConfig(this.endpoint).catch(() => {})), {
      once: true,
    });
    for (const type of ["dragover", "dragleave", "drop"])
      on(type, (event) => {
        if (this.#view) fileDragged(event as DragEvent, this.#view, this.#strings, this.#sending !== null);
      });
  }

  #click(event: Event): void {
    const target = event.target as Element;
    const view = this.#view;
    const link = target.closest<HTMLAnchorElement>(".summary a");
    if (link) {
      // A link cannot lead into a shadow root.
      event.preventDefault();
      view?.controls(link.hash.slice(1))[0]?.focus();
    }
    const wanted = target.closest<HTMLElement>("[data-do]")?.dataset["do"];
    if (wanted === "cancel") this.#sending?.abort();
    if (wanted === "reload") void this.#loadPackages(this.#values);
    if (wanted === "again") {
      this.#render({});
      this.#view?.focusFirst();
    }
    if (wanted === "remove" && view) removeFile(view, this.#strings);
  }

  /** A wrong field is looked at again with every change; one that was never wrong is left in peace. */
  #typed({ name }: HTMLInputElement): void {
    const view = this.#view;
    if (!view?.isWrong(name) || name === "resumeFile") return;
    view.amend(
      name,
      checkValues(this.formName, view.values()).find(({ path }) => path[0] === name),
    );
  }

  async #submit(): Promise<void> {
    const view = this.#view;
    if (!view || this.#sending) return;
    const sending = new AbortController();
    this.#sending = sending;
    try {
      const values = view.values();
      const wrongFile = await fileIssue(view, this.#strings);
      const issues = [...checkValues(this.formName, values), ...(wrongFile ? [wrongFile] : [])];
      if (issues.length > 0) return this.#refuse(view, { issues });
      const endpoint = this.#knownEndpoint();
      if (endpoint === undefined)
        return this.#refuse(view, { issues, message: `${this.#strings.failed} ${this.#strings.kept}` });
      view.showRefusal({ issues: [] });
      view.busy = true;
      view.say(this.#strings.sending);
      const answer = this.#send(values, view, { endpoint, signal: sending.signal });
      this.#accept(await Promise.race([answer, abortOf(sending.signal)]));
    } catch (error) {
      if (sending.signal.aborted) view.say(this.#strings.cancelled);
      else this.#fail(view, error);
    } finally {
      this.#sending = null;
      view.busy = false;
      if (this.#outdated) this.#refresh();
    }
  }

  #send(values: FormData, view: FormView, to: Pick<Sending, "endpoint" | "signal">): Promise<ReceiptDetail> {
    const source = this.getAttribute("source");
    if (source !== null) values.set("source", source);
    return sendForm(this.formName, values, {
      ...to,
      key: this.#key.of(values),
      onProof: (solving) => view.say(solving ? this.#strings.checking : this.#strings.sending),
      onProgress: (percent) => view.showProgress(percent),
    });
  }

  #accept(detail: ReceiptDetail): void {
    this.#key.spend();
    const told = new CustomEvent("submission-accepted", { detail, bubbles: true, composed: true, cancelable: true });
    // The page shows something of its own.
    if (!this.dispatchEvent(told)) return this.#view?.say("");
    const reference = detail.inquiryId ?? detail.applicationId;
    const focus = this.#mayFocus();
    this.#render({}, { message: detail.message, reference });
    if (focus) this.shadowRoot!.querySelector<HTMLElement>(".receipt")?.focus();
  }

  #fail(view: FormView, error: unknown): void {
    if (!(error instanceof SubmissionError)) {
      const { failed, uncertain } = this.#strings;
      this.#refuse(view, { issues: [], message: `${failed} ${uncertain}`, retry: true });
      throw error;
    }
    this.#offline = error.code === "NETWORK" && !navigator.onLine;
    const { endpoint = "" } = this;
    if (error.code === "NETWORK" && new URL(endpoint).origin !== location.origin)
      console.warn(
        `No answer from ${endpoint}: it is not reachable, or its CORS_ORIGINS do not name ${location.origin}.`,
      );
    if (error.code === "UNEXPECTED_RESPONSE") console.warn(`The server at ${endpoint} is not the submission service.`);
    const { issues } = error;
    // Problems that are shown at their fields need no words of their own.
    if (issues.length > 0) this.#refuse(view, { issues }, error);
    else this.#refuse(view, { issues, message: failureWords(error, this.#strings), retry: true }, error);
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

  /** Whoever has gone on to something else in the page is not called back. */
  #mayFocus(): boolean {
    return this.matches(":focus-within") || document.activeElement === document.body;
  }

  readonly #cameOnline = (): void => {
    if (this.#offline) this.#view?.say(this.#strings.online);
    this.#offline = false;
  };
}

// Frameworks set their properties again with every rendering, each time to something new that says the same.
const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

const abortOf = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
