// Records what became of mails, and keeps what the store does not take: a forgotten outcome would send its mail twice.
import type { LeasedMail, MailKind, MailSettlement, MailSubject, RefusedMail } from "../storage/records.ts";
import type { Store } from "../storage/store.ts";

/** What the outbox reports to the log and the metrics; ids and words of ours only. */
export interface OutboxEvents {
  settled(
    kind: MailKind,
    result: MailSettlement["result"],
    detail: { readonly id: string; readonly requestId: string | null; readonly error?: string },
  ): void;
  /** A mail was taken, but not for all of its recipients. */
  missed(kind: MailKind, detail: { readonly id: string; readonly error: string }): void;
  /** From now on only a probe is sent now and then, because the sender itself is refused. */
  paused(reason: string): void;
  resumed(): void;
  /** Something failed that a later round repairs. */
  failed(error: unknown): void;
}

export function openOutcomeWriter(
  mails: Pick<Store["mails"], "settle">,
  owner: string,
  events: Pick<OutboxEvents, "settled" | "failed">,
) {
  /** Settlements that the store did not take. */
  let kept: MailSettlement[] = [];
  const open = new Set<string>();
  const writes = new Set<Promise<void>>();
  let watched: Map<string, MailSettlement> | null = null;

  /** Writes these and what was kept. When it rejects, all of them are kept for the next time. */
  function write(fresh: readonly MailSettlement[] = []): Promise<void> {
    const settlements = kept.length === 0 ? fresh : [...kept, ...fresh];
    if (settlements.length === 0) return Promise.resolve();
    kept = [];
    for (const { id } of settlements) open.add(id);
    const writing = settle(settlements).finally(() => writes.delete(writing));
    writes.add(writing);
    return writing;
  }

  async function settle(settlements: readonly MailSettlement[]): Promise<void> {
    try {
      await mails.settle(settlements, owner);
    } catch (error) {
      // Whatever the error is: what was not stored is written again.
      kept.push(...settlements);
      throw error;
    }
    for (const settlement of settlements) {
      open.delete(settlement.id);
      watched?.set(settlement.id, settlement);
    }
  }

  /** Writes without a caller that waits: the next mails may be sent, and the store writes this with what comes next. */
  function writeSoon(settlements: readonly MailSettlement[]): void {
    if (settlements.length > 0) write(settlements).catch(events.failed);
  }

  return {
    write,
    writeSoon,

    /** Mails whose outcome is not in the store yet. */
    open: open as ReadonlySet<string>,

    /** The settlements that reach the store until the watch is disposed of, by the ids of their mails. One watch at a time. */
    watch() {
      const recorded = new Map<string, MailSettlement>();
      watched = recorded;
      return { recorded, [Symbol.dispose]: () => (watched = null) };
    },

    /** Reports how tries ended, and writes it. */
    record(settled: readonly (readonly [LeasedMail | RefusedMail, MailSettlement])[]): void {
      for (const [{ id, kind, about }, settlement] of settled) {
        const ids = { id, requestId: requestIdOf(about) };
        const detail = settlement.result === "sent" ? ids : { ...ids, error: settlement.error };
        events.settled(kind, settlement.result, detail);
      }
      writeSoon(settled.map(([, settlement]) => settlement));
    },

    /** Waits for what is being written, then writes what was kept. Rejects when the store does not take it now either. */
    async close(): Promise<void> {
      await Promise.allSettled(writes);
      await write();
    },
  };
}

/** Null: no request caused the mail. */
export function requestIdOf(about: MailSubject | RefusedMail["about"]): string | null {
  if ("refused" in about) return about.requestId;
  if ("submission" in about) return about.submission.requestId;
  return "welcome" in about ? about.welcome.requestId : null;
}
