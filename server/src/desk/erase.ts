// Erases a person, and submissions that are older than they are kept. A wrong clock, or a setting with a digit too few, could
// take everything at once: a run that would erase much of a kind waits for an operator's confirmation.
import { setTimeout as sleep } from "node:timers/promises";
import { submissionKinds } from "@submissions/shared/kinds";
import { dayMs } from "../clock.ts";
import type { Config } from "../config/config.ts";
import type { Vault } from "../resumes/vault.ts";
import type { Actor, DeskStore, Erased as ErasedBatch, Outdated } from "../storage/desk-store.ts";
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

/** Erases everything of an address, resumes and mails on this machine included. What fails half-way can be called again. */
export async function erasePerson({ store, vault, eraseMails }: Places, email: string, actor: Actor): Promise<Erased> {
  const sum = { submissions: 0, subscriptions: 0, resumes: 0 };
  // Before the rows, too: where this is interrupted behind them, the person is unknown and cannot be erased again.
  await eraseMails(email);
  for (let more = true; more;) {
    const erased = await store.desk.erasePerson(email, actor);
    sum.submissions += erased.submissions;
    sum.subscriptions += erased.subscriptions;
    sum.resumes += erased.resumes;
    ({ more } = erased);
  }
  await eraseMails(email);
  return { ...sum, discarded: await discardNowOrLater({ store, vault }) };
}

/**
 * Discards what {@link discardErased} does. False as well when that fails for any reason: the rows are erased already, and
 * housekeeping discards the files within the hour and logs what fails.
 */
export const discardNowOrLater = (places: DiscardPlaces): Promise<boolean> => discardErased(places).catch(() => false);

/**
 * Discards the bytes of resumes whose records are erased. One that cannot be discarded holds up no other.
 * False: another vault holds them, whose process discards them.
 *
 * @throws VaultUnavailable when some are left, to be tried again
 */
export async function discardErased({ store: { desk, identity }, vault }: DiscardPlaces): Promise<boolean> {
  const failures = new Map<string, unknown>();
  for (let discarded: readonly string[] = []; ;) {
    const listed = await desk.resumesToDiscard(discardedAtOnce + failures.size, discarded);
    const keys = listed.filter((key) => !failures.has(key));
    // A whole batch: the vault is out of reach.
    if (keys.length === 0 || failures.size >= discardedAtOnce) break;
    if (!(await vault.belongsTo(identity))) return false;
    const results = await Promise.allSettled(keys.map((key) => vault.discard(key)));
    discarded = keys.filter((_key, at) => results[at]?.status === "fulfilled");
    for (const [at, result] of results.entries())
      if (result.status === "rejected") failures.set(keys[at]!, result.reason);
  }
  const [failure] = failures.values();
  if (failure !== undefined) throw failure;
  return true;
}

/** A run may erase so many of a kind, or this part of them, without an operator's confirmation. */
const unaskedMax = 100;
const unaskedShareMax = 0.2;
/** Erasing is slow and not urgent: submissions are stored in between. */
const pauseMs = 20;

export interface Due extends Outdated {
  readonly outdated: number;
  /** Submissions of the kind, the outdated ones among them. */
  readonly stored: number;
}

/** What is outdated now, of the kinds that are not kept for good. */
export async function findOutdated(desk: Pick<DeskStore, "countOutdated">, days: Config["retentionDays"], now: number) {
  const found: Due[] = [];
  for (const kind of [...submissionKinds, "spam", "declined"] as const) {
    const kept = days[kind];
    if (kept === null) continue;
    const outdated = { kind, before: now - kept * dayMs };
    found.push({ ...outdated, ...(await desk.countOutdated(outdated)) });
  }
  return found;
}

/** Whether a run that erases these needs an operator's confirmation. */
export const needsConfirmation = ({ outdated, stored }: Due): boolean =>
  outdated > unaskedMax && outdated > stored * unaskedShareMax;

/** Erases in batches until nothing outdated is left. Answers how many submissions it erased. */
export async function eraseOutdated(
  desk: Pick<DeskStore, "eraseOutdated">,
  { kind, before }: Outdated,
  actor: Actor,
  signal: AbortSignal = new AbortController().signal,
): Promise<number> {
  let erased = 0;
  for (let more = true; more && !signal.aborted; await sleep(pauseMs)) {
    const batch = await desk.eraseOutdated({ kind, before }, actor);
    erased += batch.submissions;
    ({ more } = batch);
  }
  return erased;
}
