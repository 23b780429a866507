// Retention: erases submissions that have had their days. A wrong clock, or a setting with a digit too few, could take
// everything at once, so that a run that would erase much of a kind waits for an operator's word.
import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "../config/config.ts";
import type { Actor, DeskStore, Outdated } from "../storage/desk-store.ts";

/** A run may erase so many of a kind, or this part of them, without an operator's word. */
const unaskedMax = 100;
const unaskedShareMax = 0.2;
/** Erasing is slow and not urgent: submissions are stored in between. */
const pauseMs = 20;
const dayMs = 24 * 60 * 60 * 1000;

export interface Due extends Outdated {
  readonly outdated: number;
  /** Submissions of the kind, the outdated ones among them. */
  readonly stored: number;
}

/** What is outdated now, of the kinds that are not kept for good. */
export async function findOutdated(desk: Pick<DeskStore, "countOutdated">, days: Config["retentionDays"], now: number) {
  const found: Due[] = [];
  for (const kind of ["inquiry", "application", "spam"] as const) {
    const kept = days[kind];
    if (kept === null) continue;
    const outdated = { kind, before: now - kept * dayMs };
    found.push({ ...outdated, ...(await desk.countOutdated(outdated)) });
  }
  return found;
}

/** Whether a run that erases these needs an operator's word. */
export const needsWord = ({ outdated, stored }: Due): boolean =>
  outdated > unaskedMax && outdated > stored * unaskedShareMax;

/** Erases in batches until nothing outdated is left. Answers how many submissions it erased. */
export async function eraseOutdated(
  desk: Pick<DeskStore, "erase">,
  { kind, before }: Outdated,
  actor: Actor,
  signal: AbortSignal = new AbortController().signal,
): Promise<number> {
  let erased = 0;
  for (let more = true; more && !signal.aborted; await sleep(pauseMs)) {
    const batch = await desk.erase({ kind, before }, actor);
    erased += batch.submissions;
    ({ more } = batch);
  }
  return erased;
}
