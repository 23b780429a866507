// What was typed into a form, kept in the browser tab until it was accepted, so that a reload loses nothing. Files cannot
// be kept.
import { packageIdsOf } from "@submissions/shared/forms/form-fields";
import type { SubmissionKey } from "./submission-key.ts";

/** Texts by field; a field may have several. */
export type Typed = Readonly<Record<string, readonly string[]>>;

interface Kept {
  readonly typed: Typed;
  /** The idempotency key with its content: sending the same again after a reload makes no second submission. */
  readonly key: SubmissionKey["state"];
  /** The query of the page's address, which may name packages. */
  readonly search: string;
}

/**
 * What a form holds that has a draft.
 *
 * @param named the packages that the page ticks by itself. They are added where the page has another query than the
 *   draft: a link has named them. On the same page the draft alone counts, because the person may have unticked them.
 */
export function restored({ typed, search }: Kept, named: readonly string[]): Typed {
  const { selectedPackageIds = [] } = typed;
  const known = packageIdsOf(selectedPackageIds);
  const added = search === location.search ? [] : named.filter((id) => !known.includes(id));
  return { ...typed, selectedPackageIds: [...selectedPackageIds, ...added] };
}

/** The texts of a form. */
export function typedIn(values: FormData): Typed {
  const typed = Object.create(null) as Record<string, string[]>;
  for (const [name, value] of values) if (typeof value === "string") (typed[name] ??= []).push(value);
  return typed;
}

/** Where an element stands. In a shadow root, the place of its host comes before. */
function placeOf(element: Element): string {
  const { localName, id } = element;
  const root = element.getRootNode() as Document | ShadowRoot;
  const host = root instanceof ShadowRoot ? `${placeOf(root.host)} ` : "";
  return `${host}${localName} ${id || [...root.querySelectorAll(localName)].indexOf(element)}`;
}

/** The draft of one form of a page. */
export class Draft {
  readonly #name: string;

  /** @param form the element; forms of one kind are told apart by their ids or their order in the page */
  constructor(form: HTMLElement) {
    this.#name = `draft of ${location.pathname} ${placeOf(form)}`;
  }

  read(): Kept | undefined {
    return this.#stored((storage) => JSON.parse(storage.getItem(this.#name) ?? "null") as Kept | null) ?? undefined;
  }

  write(kept: Omit<Kept, "search">): void {
    const text = JSON.stringify({ ...kept, search: location.search } satisfies Kept);
    this.#stored((storage) => storage.setItem(this.#name, text));
  }

  forget(): void {
    this.#stored((storage) => storage.removeItem(this.#name));
  }

  #stored<Result>(use: (storage: Storage) => Result): Result | undefined {
    try {
      return use(sessionStorage);
    } catch {
      // SecurityError: the browser denies storage to the page. QuotaExceededError: the page has filled it. SyntaxError:
      // another script has written there.
      return undefined;
    }
  }
}
