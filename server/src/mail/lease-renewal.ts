// Renews the leases of mails that wait in this process or that the provider has: a provider may take minutes, and no
// other process may send the mail meanwhile.
import { repeatedly } from "../repeatedly.ts";
import type { Lease, Store } from "../storage/store.ts";
import type { HeldMail } from "./delivery.ts";

/** Two renewals may fail before a lease ends. */
const renewMsDefault = 8_000;
/** A lease with less left is renewed. */
const leaseMsMin = 20_000;

interface Options {
  readonly store: Pick<Store, "clock" | "renewLeases">;
  /** A lease from now on. */
  readonly lease: () => Lease;
  /** The mails that this process holds now. */
  readonly held: () => readonly HeldMail[];
  readonly failed: (error: unknown) => void;
  /** How often leases are looked at. */
  readonly renewMs?: number | undefined;
}

/** Renews leases that are about to end, until it is disposed of. */
export function keepLeases(options: Options): AsyncDisposable {
  const { failed, renewMs = renewMsDefault } = options;
  return repeatedly(async () => {
    // A store that is slow to fail does not put off the next round.
    const nextAt = performance.now() + renewMs;
    // When the store cannot be used now, the next round may still be in time.
    await renewEnding(options).catch(failed);
    return Math.max(nextAt - performance.now(), 0);
  });
}

async function renewEnding({ store, lease, held }: Options): Promise<void> {
  const now = store.clock.now();
  const ending = held().filter(({ leasedUntil }) => leasedUntil - now < leaseMsMin);
  if (ending.length === 0) return;
  const fromNow = lease();
  const ids = ending.map(({ mail }) => mail.id);
  const renewed = await store.renewLeases(ids, fromNow);
  for (const each of ending) if (renewed.has(each.mail.id)) each.leasedUntil = fromNow.until;
}
