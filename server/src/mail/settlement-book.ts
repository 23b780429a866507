// Writes down what became of mails, and keeps what the store does not take now: forgetting it would send the mail twice.
import type { MailSettlement } from "../storage/records.ts";
import type { Store } from "../storage/store.ts";

export class SettlementBook {
  readonly #store: Pick<Store, "settleMails">;
  readonly #owner: string;
  readonly #kept = new Map<string, MailSettlement>();
  readonly #underWay = new Set<string>();

  constructor(store: Pick<Store, "settleMails">, owner: string) {
    this.#store = store;
    this.#owner = owner;
  }

  /** Whether something is not in the store yet. */
  get isOpen(): boolean {
    return this.#kept.size + this.#underWay.size > 0;
  }

  /** Whether the end of this mail is known here and not yet in the store. */
  holds(id: string): boolean {
    return this.#kept.has(id) || this.#underWay.has(id);
  }

  /** Writes these and what was kept. When it rejects, all of them are kept for the next time. */
  async write(fresh: readonly MailSettlement[] = []): Promise<void> {
    const settlements = [...this.#kept.values(), ...fresh];
    if (settlements.length === 0) return;
    this.#kept.clear();
    for (const { id } of settlements) this.#underWay.add(id);
    try {
      await this.#store.settleMails(settlements, this.#owner);
    } catch (error) {
      for (const settlement of settlements) this.#kept.set(settlement.id, settlement);
      throw error;
    } finally {
      for (const { id } of settlements) this.#underWay.delete(id);
    }
  }
}
