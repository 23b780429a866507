// While the store is away no process can renew its leases. When it is back, leases have run out whose processes are alive,
// and a provider may have their mails. Those processes get time to renew them before another one takes them over.
import { StorageUnavailable } from "../storage/store.ts";

/** Longer than a process takes to look at its leases again, and to record what became of its mails. */
const graceMs = 15_000;

export class TakeOver {
  #failedAt: number;
  /** When the store last answered, before it failed. */
  #answeredAt = 0;

  /** @param startedAt counts like a failure: what was before it is not known. -Infinity where no care is needed */
  constructor(startedAt: number) {
    this.#failedAt = startedAt;
  }

  /** Learns that the store has answered. */
  answered(now: number): void {
    if (this.#isSound(now)) this.#answeredAt = now;
  }

  /** Learns of an error. */
  failed(error: unknown, now: number): void {
    if (error instanceof StorageUnavailable) this.#failedAt = now;
  }

  /** Leases that ended before this may be taken over: their processes could have renewed them. */
  endedBefore(now: number): number {
    return this.#isSound(now) ? now : this.#answeredAt;
  }

  #isSound(now: number): boolean {
    return now - this.#failedAt >= graceMs;
  }
}
