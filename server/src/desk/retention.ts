// Erases submissions that have had their time.
import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "../config/config.ts";
import type { DeskStore } from "../storage/desk-store.ts";

const dayMs = 24 * 60 * 60 * 1000;

/** Erasing is slow and not urgent: submissions are stored in between. */
const batchPauseMs = 20;

interface RetentionOptions {
  readonly desk: Pick<DeskStore, "eraseOutdated">;
  readonly days: Config["retentionDays"];
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly signal?: AbortSignal;
}

/** Erases what is older than its days. The bytes of resumes are discarded later. */
export async function eraseOutdated({ desk, days, now, signal }: RetentionOptions): Promise<void> {
  const isAborted = () => signal?.aborted === true;
  const actor = { operator: "retention", at: now };
  for (const kind of ["inquiry", "application", "spam"] as const) {
    const kept = days[kind];
    if (kept === null) continue;
    const outdated = { kind, before: now - kept * dayMs };
    for (let more = true; more && !isAborted(); await sleep(batchPauseMs)) {
      ({ more } = await desk.eraseOutdated(outdated, actor));
    }
  }
}
