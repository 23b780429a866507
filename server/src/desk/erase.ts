// Erases a person: the records in batches, then the bytes of the resumes, and mails that lie on this machine.
import type { Vault } from "../resumes/vault.ts";
import type { Actor, DeskStore } from "../storage/desk-store.ts";

interface DiscardPlaces {
  readonly desk: Pick<DeskStore, "resumesToDiscard" | "forgetDiscarded">;
  readonly vault: Pick<Vault, "discard">;
}

interface Places extends DiscardPlaces {
  readonly desk: Pick<DeskStore, "erasePerson" | "resumesToDiscard" | "forgetDiscarded">;
  /** Erases mails to an address that lie on this machine. */
  readonly eraseMails: (email: string) => Promise<void>;
}

export interface Erased {
  readonly submissions: number;
  readonly subscriptions: number;
  readonly resumes: number;
}

const discardedAtOnce = 20;

/** Erases everything of an address. What fails half-way can be called again, and goes on. */
export async function erasePerson({ desk, vault, eraseMails }: Places, email: string, actor: Actor): Promise<Erased> {
  const sum = { submissions: 0, subscriptions: 0, resumes: 0 };
  for (let more = true; more;) {
    const erased = await desk.erasePerson(email, actor);
    sum.submissions += erased.submissions;
    sum.subscriptions += erased.subscriptions;
    sum.resumes += erased.resumes;
    ({ more } = erased);
  }
  await discardErased({ desk, vault });
  await eraseMails(email);
  return sum;
}

/** Discards the bytes of resumes whose records are erased. */
export async function discardErased({ desk, vault }: DiscardPlaces): Promise<void> {
  for (;;) {
    const keys = await desk.resumesToDiscard(discardedAtOnce);
    if (keys.length === 0) return;
    for (const key of keys) await vault.discard(key);
    await desk.forgetDiscarded(keys);
  }
}
