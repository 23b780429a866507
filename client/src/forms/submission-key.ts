// The key of a submission, which its content has until it was accepted: no repetition of the same is a second submission,
// whoever repeats it, and something else never has the key of what was sent before.
import { idempotencyKey } from "../sdk/idempotency-key.ts";

export class SubmissionKey {
  #key = "";
  #content = "";

  /** The key of what is in a form. */
  of(values: FormData): string {
    const content = JSON.stringify(
      [...values].map(([name, value]) =>
        value instanceof File ? [name, value.name, value.size, value.lastModified] : [name, value],
      ),
    );
    if (content !== this.#content) this.#key = idempotencyKey(undefined);
    this.#content = content;
    return this.#key;
  }

  /** It was accepted: the same again is another submission. */
  spend(): void {
    this.#content = "";
  }
}
