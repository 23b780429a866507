// Records what became of mails, and keeps what the store does not take: a settlement that was forgotten would send its
// mail twice.
import type { MailSettlement } from "../storage/records.ts";
import type { Store } from "../storage/store.ts";

/** Settlements by the ids of their mails; one watch at a time. */
interface RecordWatch extends Disposable {
  readonly recorded: ReadonlyMap<string, MailSettlement>;
}

export class SettlementBook {
  readonly #mails: Pick<Store["mails"], "settle">;
  readonly #owner: string;
  /** Settlements that the store did not take. */
  #kept: MailSettlement[] = [];
  /** The mails of all that is not in the store yet. */
  readonly #open = new Set<string>();
  readonly #writes = new Set<Promise<void>>();
  #watched: Map<string, MailSettlement> | null = null;

  constructor(mails: Pick<Store["mails"], "settle">, owner: string) {
    this.#mails = mails;
    this.#owner = owner;
  }

  /** Whether something is not in the store yet. */
  get isOpen(): boolean {
    return this.#open.size > 0;
  }

  /** Whether the end of this mail is known here and not yet in the store. */
  holds(id: string): boolean {
    return this.#open.has(id);
  }

  /** The settlements that reach the store until the watch is disposed of. */
  watch(): RecordWatch {
    const recorded = new Map<string, MailSettlement>();
    this.#watched = recorded;
    return { recorded, [Symbol.dispose]: () => (this.#watched = null) };
  }

  /** Writes these and what was kept. When it rejects, all of them are kept for the next time. */
  write(fresh: readonly MailSettlement[] = []): Promise<void> {
    const settlements = this.#kept.length === 0 ? fresh : [...this.#kept, ...fresh];
    if (settlements.length === 0) return Promise.resolve();
    this.#kept = [];
    for (const { id } of settlements) this.#open.add(id);
    const write = this.#settle(settlements).finally(() => this.#writes.delete(write));
    this.#writes.add(write);
    return write;
  }

  async #settle(settlements: readonly MailSettlement[]): Promise<void> {
    try {
      await this.#mails.settle(settlements, this.#owner);
    } catch (error) {
      // StorageUnavailable, most of the time.
      this.#kept.push(...settlements);
      throw error;
    }
    for (const settlement of settlements) {
      this.#open.delete(settlement.id);
      this.#watched?.set(settlement.id, settlement);
    }
  }

  /** Waits for what is being written, then writes what was kept. Rejects when the store does not take it now either. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#writes);
    await this.write();
  }
}
