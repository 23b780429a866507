// Erases submissions that have had their time.
import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "../config/config.ts";
import type { DeskStore, Outdated } from "../storage/desk-store.ts";

const dayMs = 24 * 60 * 60 * 1000;

/** Erasing is slow and not urgent: submissions are stored in between. */
const batchPauseMs = 20;

const names = { inquiry: "inquiries", application: "applications", spam: "spam" } as const;

interface RetentionOptions {
  readonly desk: Pick<DeskStore, "eraseOutdated" | "audit">;
  readonly days: Config["retentionDays"];
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly signal?: AbortSignal;
}

/** Erases what is older than its days, and records how many of each kind. The bytes of resumes are discarded later. */
export async function eraseOutdated(options: RetentionOptions): Promise<void> {
  for (const kind of ["inquiry", "application", "spam"] as const) {
    const days = options.days[kind];
    if (days !== null) await eraseKind(options, { kind, before: options.now - days * dayMs });
  }
}

async function eraseKind({ desk, now, signal }: RetentionOptions, outdated: Outdated): Promise<void> {
  const detail = { submissions: 0, resumes: 0 };
  const isAborted = () => signal?.aborted === true;
  try {
    for (let more = true; more && !isAborted(); await sleep(batchPauseMs)) {
      const erased = await desk.eraseOutdated(outdated);
      detail.submissions += erased.submissions;
      detail.resumes += erased.resumes;
      ({ more } = erased);
    }
  } finally {
    // Also of what was erased before it failed.
    const entry = { action: "retention", subject: names[outdated.kind], detail };
    if (detail.submissions > 0) await desk.audit(entry, { operator: "retention", at: now });
  }
}
