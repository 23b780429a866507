// Remembers the counts of the inbox for two seconds: every open console asks for them every few seconds, and a count over
// a million submissions takes 50 ms.
import type { InboxCounts } from "@submissions/shared/console";
import type { DeskStore, Scope } from "../storage/desk-store.ts";

const freshMs = 2_000;

export class Counts {
  readonly #desk: Pick<DeskStore, "countByStatus">;
  readonly #known = new Map<string, { readonly at: number; readonly counts: Promise<InboxCounts> }>();

  constructor(desk: Pick<DeskStore, "countByStatus">) {
    this.#desk = desk;
  }

  /** @param operator whose own submissions are counted too */
  of(scope: Scope, operator: string): Promise<InboxCounts> {
    const key = `${scope.kinds.join(" ")} ${operator}`;
    const now = performance.now();
    const known = this.#known.get(key);
    if (known !== undefined && now - known.at < freshMs) return known.counts;
    for (const [old, { at }] of this.#known) if (now - at >= freshMs) this.#known.delete(old);
    const counts = this.#desk.countByStatus(scope, operator);
    this.#known.set(key, { at: now, counts });
    counts.catch(() => this.#known.delete(key));
    return counts;
  }

  /** An operator changed something and wants to see it. */
  forget(): void {
    this.#known.clear();
  }
}
