// Renews the leases of mails that wait in this process or that the provider has: a provider may take minutes, and no
// other process may send the mail meanwhile.
import type { Lease, Store } from "../storage/store.ts";
import type { HeldMail } from "./delivery.ts";

/** Two renewals may fail before a lease ends. */
const renewMsDefault = 8_000;
/** A lease with less left is renewed. */
const leaseMsMin = 20_000;

interface LeaseRenewalOptions {
  readonly store: Pick<Store, "clock" | "renewLeases">;
  /** A lease from now on. */
  readonly lease: () => Lease;
  /** The mails that this process holds now. */
  readonly held: () => readonly HeldMail[];
  readonly failed: (error: unknown) => void;
  /** How often leases are looked at. */
  readonly renewMs?: number | undefined;
}

export class LeaseRenewal {
  readonly #options: LeaseRenewalOptions;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: LeaseRenewalOptions) {
    this.#options = options;
  }

  /** Renews from now on, as long as mails are held. */
  start(): void {
    this.#timer ??= setTimeout(() => void this.#renew(), this.#options.renewMs ?? renewMsDefault);
  }

  stop(): void {
    clearTimeout(this.#timer ?? undefined);
    this.#timer = null;
  }

  async #renew(): Promise<void> {
    const { store, lease: leaseFromNow, held: holds, failed } = this.#options;
    this.#timer = null;
    const held = holds();
    if (held.length > 0) this.start();
    const now = store.clock.now();
    const ending = held.filter(({ leasedUntil }) => leasedUntil - now < leaseMsMin);
    if (ending.length === 0) return;
    const lease = leaseFromNow();
    try {
      const ids = ending.map(({ mail }) => mail.id);
      const renewed = await store.renewLeases(ids, lease);
      for (const each of ending) if (renewed.has(each.mail.id)) each.leasedUntil = lease.until;
    } catch (error) {
      // The store cannot be used now. The next round may still be in time.
      failed(error);
    }
  }
}
