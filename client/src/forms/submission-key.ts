// The idempotency key of what a form holds. Equal content has the same key until the form begins anew, so that sending it
// again makes no second submission; other content has another key.
import { randomKey } from "../sdk/idempotency-key.ts";

export class SubmissionKey {
  #key = "";
  #content = "";

  /** The key of a form's content. Files are compared by name, size and time. */
  of(values: Iterable<readonly [string, unknown]>): string {
    const content = JSON.stringify([...values].map(([name, value]) => [name, comparable(value)]));
    if (content !== this.#content) this.#key = randomKey();
    this.#content = content;
    return this.#key;
  }

  /** The key and its content, to be kept over a reload. */
  get state(): readonly [key: string, content: string] {
    return [this.#key, this.#content];
  }
  set state([key, content]: readonly [key: string, content: string]) {
    this.#key = key;
    this.#content = content;
  }

  /** The form begins anew. The same content again is another submission. */
  spend(): void {
    this.#content = "";
  }
}

const comparable = (value: unknown): unknown =>
  value instanceof Blob
    ? [value.size, value.type, ...(value instanceof File ? [value.name, value.lastModified] : [])]
    : value;
