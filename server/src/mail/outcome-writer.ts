// Records what became of mails, and keeps what the store does not take: a forgotten outcome would send its mail twice.
import type { LeasedMail, MailKind, MailSettlement, MailSubject } from "../storage/records.ts";
import type { Store } from "../storage/store.ts";

/** What the outbox tells the log and the metrics; ids and words of ours only. */
export interface OutboxEvents {
  settled(
    kind: MailKind,
    result: MailSettlement["result"],
    detail: { readonly id: string; readonly requestId: string | null; readonly error?: string },
  ): void;
  /** A mail was taken, but not for all of its recipients. */
  missed(kind: MailKind, detail: { readonly id: string; readonly error: string }): void;
  /** From now on no mail is sent but a probe now and then, because it is the sender that is refused. */
  paused(reason: string): void;
  resumed(): void;
  /** Something failed that a later round repairs. */
  failed(error: unknown): void;
}

export class OutcomeWriter {
  readonly #mails: Pick<Store["mails"], "settle">;
  readonly #owner: string;
  readonly #events: Pick<OutboxEvents, "settled" | "failed">;
  /** Settlements that the store did not take. */
  #kept: MailSettlement[] = [];
  readonly #open = new Set<string>();
  readonly #writes = new Set<Promise<void>>();
  #watched: Map<string, MailSettlement> | null = null;

  constructor(mails: Pick<Store["mails"], "settle">, owner: string, events: Pick<OutboxEvents, "settled" | "failed">) {
    this.#mails = mails;
    this.#owner = owner;
    this.#events = events;
  }

  /** Mails whose outcome is not in the store yet. */
  get open(): ReadonlySet<string> {
    return this.#open;
  }

  /** The settlements that reach the store until the watch is disposed of, by the ids of their mails. One watch at a time. */
  watch() {
    const recorded = new Map<string, MailSettlement>();
    this.#watched = recorded;
    return { recorded, [Symbol.dispose]: () => (this.#watched = null) };
  }

  /** Tells how tries ended, and writes it. */
  record(settled: readonly (readonly [LeasedMail, MailSettlement])[]): void {
    for (const [{ id, kind, about }, settlement] of settled) {
      const ids = { id, requestId: requestIdOf(about) };
      const detail = settlement.result === "sent" ? ids : { ...ids, error: settlement.error };
      this.#events.settled(kind, settlement.result, detail);
    }
    this.writeSoon(settled.map(([, settlement]) => settlement));
  }

  /** Writes without a caller that waits: the next mails may be sent, and the store writes this with what comes next. */
  writeSoon(settlements: readonly MailSettlement[]): void {
    if (settlements.length > 0) this.write(settlements).catch(this.#events.failed);
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
      // Of any kind: what was not stored is written again.
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

/** Null: no request caused the mail. */
export function requestIdOf(about: MailSubject): string | null {
  if ("submission" in about) return about.submission.requestId;
  return "welcome" in about ? about.welcome.requestId : null;
}
