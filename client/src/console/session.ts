// Who is signed in, and what happens when the session ends in the middle of the work: calls that were refused wait for a
// new sign-in and are then repeated, so nothing that was typed is lost.
import type { Me } from "@submissions/shared/console";

/** `expired`: the dialog asks the same operator to sign in again, over the page as it is. */
type SessionState =
  | { readonly name: "unknown" }
  | { readonly name: "signed-out" }
  | { readonly name: "signed-in" | "expired"; readonly me: Me };

class Session {
  #state: SessionState = { name: "unknown" };
  readonly #listeners = new Set<() => void>();

  get state(): SessionState {
    return this.#state;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The answer to `session.me`, or to a sign-in. */
  set(me: Me | null): void {
    this.#change(me === null ? { name: "signed-out" } : { name: "signed-in", me });
  }

  /**
   * Call it when the server refused a call because the session ended. Returns true when an operator was signed in: the
   * call can then be repeated after the next sign-in.
   */
  expire(): boolean {
    if (this.#state.name === "signed-in") this.#change({ name: "expired", me: this.#state.me });
    return this.#state.name === "expired";
  }

  /** Calls back once, as soon as the operator has signed in again. Returns how to stop waiting. */
  onceSignedIn(then: () => void): () => void {
    const stop = this.subscribe(() => {
      if (this.#state.name !== "signed-in") return;
      stop();
      then();
    });
    return stop;
  }

  #change(state: SessionState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

export const session = new Session();
