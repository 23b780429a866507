// The element around a form: its attributes and properties, its language, and when it begins. Subclasses show the form.
import type { FormState, PackageChoice } from "@submissions/shared/forms/form-state";
import type { OwnField } from "@submissions/shared/forms/own-fields";
import type { FormStrings } from "@submissions/shared/forms/form-strings";
import { formStyle } from "@submissions/shared/forms/form-style";
import type { StringsOverride } from "@submissions/shared/forms/override-strings";
import { endpointOf } from "./form-config.ts";
import { languageLoading, stringsFor } from "./form-languages.ts";

/** The first values of the fields. */
export type FormValues = FormState["values"];

// Frameworks import elements on servers too, where there are none.
const PageElement = globalThis.HTMLElement ?? Object;

const ownProperties = ["endpoint", "fields", "packages", "strings", "values"] as const;

/** Base of the forms' elements. */
export abstract class FormElement extends PageElement {
  static readonly observedAttributes: readonly string[] = ["lang", "fields", "packages", "values"];

  #override: StringsOverride = {};
  #values: FormValues = {};
  #fields: readonly OwnField[] = [];
  /** Undefined: ask the service. */
  #packages: readonly PackageChoice[] | null | undefined;
  /** Undefined until the form begins. */
  #texts: FormStrings | undefined;
  #around: MutationObserver | null = null;

  /** Shows the form for the first time. */
  protected abstract begin(root: ShadowRoot): void;
  /** Shows other texts or packages, and keeps everything else. */
  protected abstract refresh(): void;
  /** Shows other first values. */
  protected abstract restart(): void;

  /** Texts that differ from the form's own: `{ fields: { name: { label: "Name of the buyer" } } }`. */
  get strings(): StringsOverride {
    return this.#override;
  }
  set strings(override: StringsOverride | undefined) {
    if (same(override, this.#override)) return;
    this.#override = override ?? {};
    if (this.#texts) this.refresh();
  }

  /** The packages to choose from, as identifiers or with titles; null: any may be typed. By default the service's. */
  get packages(): readonly PackageChoice[] | null | undefined {
    return this.#packages;
  }
  set packages(packages: readonly (string | PackageChoice)[] | null | undefined) {
    // JSON of a page may say null, and numbers where texts belong.
    const choices =
      packages?.flatMap((one) => {
        const { id = one, title } = (one ?? {}) as { readonly [Name in keyof PackageChoice]?: string | number | null };
        return typeof id === "object" ? [] : { id: `${id}`, title: `${title ?? id}` };
      }) ?? (packages as null);
    if (same(choices, this.#packages)) return;
    this.#packages = choices;
    if (this.#texts) this.refresh();
  }

  /** Fields of the page's own, behind those of the form. */
  get fields(): readonly OwnField[] {
    return this.#fields;
  }
  set fields(fields: readonly OwnField[] | undefined) {
    if (same(fields, this.#fields)) return;
    this.#fields = [...(fields ?? [])];
    if (this.#texts) this.refresh();
  }

  /** The first values of the fields by their names. */
  get values(): FormValues {
    return this.#values;
  }
  set values(values: FormValues | undefined) {
    if (same(values, this.#values)) return;
    this.#values = values ?? {};
    if (this.#texts) this.restart();
  }

  /** Base address of the service, the attribute of that name; by default where the service served this script. */
  get endpoint(): string | undefined {
    return endpointOf(this.getAttribute("endpoint"));
  }
  set endpoint(address: string | undefined) {
    if (address === undefined) this.removeAttribute("endpoint");
    else this.setAttribute("endpoint", address);
  }

  /** The texts in the language of the element, with its own in their place. */
  protected get texts(): FormStrings {
    return (this.#texts = stringsFor(this, this.#override));
  }

  /** Remembers packages that the server or the service has named, without showing them. */
  protected learnPackages(packages: readonly PackageChoice[] | null | undefined): void {
    this.#packages ??= packages;
  }

  /** The address of the service. Reports a missing one to the author of the page. */
  protected knownEndpoint(): string | undefined {
    const { endpoint } = this;
    if (endpoint === undefined)
      console.error(`<${this.localName}> sends nothing: its attribute "endpoint" is missing.`);
    return endpoint;
  }

  connectedCallback(): void {
    this.#around ??= new MutationObserver(() => this.#speak());
    this.#around.observe(document, { subtree: true, attributeFilter: ["lang"] });
    if (this.#texts) return this.#speak();
    // Properties that were set before this script was loaded hide the accessors.
    for (const name of ownProperties) {
      if (!Object.hasOwn(this, name)) continue;
      const value: unknown = this[name];
      delete (this as Partial<this>)[name];
      Object.assign(this, { [name]: value });
    }
    void this.#inItsLanguage(() => {
      if (this.#texts) return;
      const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
      style(root);
      this.#texts = this.texts;
      // Pages may set the address after the element.
      setTimeout(() => this.isConnected && this.knownEndpoint());
      this.begin(root);
    });
  }

  disconnectedCallback(): void {
    this.#around?.disconnect();
  }

  attributeChangedCallback(name: string, _before: string | null, text: string | null): void {
    if (name === "lang") return this.#speak();
    try {
      // What is no list throws.
      Object.assign(this, { [name]: text === null ? undefined : JSON.parse(text) });
    } catch (error) {
      // A framework on a server writes a list of identifiers with commas between them.
      const isNamed = name === "packages" && !/^[[{]/.test(text!);
      if (name === "packages") this.packages = (isNamed && text!.match(/[^,]+/g)) || [];
      // A mistake in the page. The form does without the value.
      if (!isNamed) reportError(new Error(`The attribute ${name} must hold JSON.`, { cause: error }));
    }
  }

  // Without waiting where that is possible: a form that comes later moves the content below it.
  async #inItsLanguage(then: () => void): Promise<void> {
    // A page that brings the words of a language needs none of ours.
    const loading =
      this.isConnected && !this.#override.lang && languageLoading(this, this.endpoint, () => this.#renew());
    if (loading) await loading;
    then();
  }

  /** Changes to the language of the page around. */
  #speak(): void {
    void this.#inItsLanguage(() => this.#renew());
  }

  #renew(): void {
    if (this.#texts && this.#texts.lang !== stringsFor(this, this.#override).lang) this.refresh();
  }
}

let sheet: CSSStyleSheet | undefined;

/** Gives a shadow root the style of the forms, unless the server has linked it. All forms of a page share one sheet. */
function style(root: ShadowRoot): void {
  if (root.querySelector("link[rel=stylesheet]")) return;
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(formStyle);
  }
  root.adoptedStyleSheets = [sheet];
}

// Frameworks set properties with every rendering, each time to another object with the same content.
const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
