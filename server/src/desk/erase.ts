// Erases a person: the records in batches, then the bytes of the resumes, and mails that lie on this machine.
import type { Vault } from "../resumes/vault.ts";
import type { Actor, DeskStore, Erased as ErasedBatch } from "../storage/desk-store.ts";
import type { Store } from "../storage/store.ts";

interface DiscardPlaces {
  readonly store: Pick<Store, "identity"> & { readonly desk: Pick<DeskStore, "resumesToDiscard"> };
  readonly vault: Pick<Vault, "belongsTo" | "discard">;
}

interface Places extends DiscardPlaces {
  readonly store: Pick<Store, "identity" | "desk">;
  /** Erases mails to an address that lie on this machine. */
  readonly eraseMails: (email: string) => Promise<void>;
}

export interface Erased extends Omit<ErasedBatch, "more"> {
  /** Whether all bytes of erased resumes are gone. If not, the service discards them within the hour. */
  readonly discarded: boolean;
}

const discardedAtOnce = 20;

/** Erases everything of an address. What fails half-way can be called again, and goes on. */
export async function erasePerson({ store, vault, eraseMails }: Places, email: string, actor: Actor): Promise<Erased> {
  const sum = { submissions: 0, subscriptions: 0, resumes: 0 };
  for (let more = true; more;) {
    const erased = await store.desk.erase(email, actor);
    sum.submissions += erased.submissions;
    sum.subscriptions += erased.subscriptions;
    sum.resumes += erased.resumes;
    ({ more } = erased);
  }
  const discarded = await discardErased({ store, vault });
  await eraseMails(email);
  return { ...sum, discarded };
}

/** Discards the bytes of resumes whose records are erased. False: another vault holds them, whose process discards them. */
export async function discardErased({ store: { desk, identity }, vault }: DiscardPlaces): Promise<boolean> {
  for (let discarded: readonly string[] = []; ;) {
    const keys = await desk.resumesToDiscard(discardedAtOnce, discarded);
    if (keys.length === 0) return true;
    if (!(await vault.belongsTo(identity))) return false;
    for (const key of keys) await vault.discard(key);
    discarded = keys;
  }
}
