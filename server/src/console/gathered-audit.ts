// Writes to the audit log what may come often: failed sign-ins, refused calls, what tokens read. What repeats within a minute
// is one entry with a count, so that an attacker cannot fill the log. No answer waits for the writing: the time that it takes
// would tell which accounts exist.
import type { Clock } from "../clock.ts";
import type { Log } from "../observe/log.ts";
import type { AuditEntry, DeskStore } from "../storage/desk-store.ts";

const gatheredMs = 60 * 1000;
/** What stands in the log where no operator has the address that was typed. It may be a password in the wrong field. */
const unknown = "unknown";

type Gathered = Pick<AuditEntry, "action" | "subject"> & {
  readonly operator: string;
  readonly counts: Record<string, number>;
};

export type GatheredAudit = ReturnType<typeof gatherAudit>;

export function gatherAudit(desk: Pick<DeskStore, "audit">, clock: Clock, log: Log) {
  const gathered = new Map<string, Gathered>();
  let timer: NodeJS.Timeout | undefined;

  /** Writes what was gathered. Never rejects. */
  async function write(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const entries = [...gathered.values()];
    gathered.clear();
    const at = clock.now();
    const failed = (error: unknown) => log.error({ err: error }, "the audit log could not be written");
    await Promise.all(
      entries.map(({ operator, counts: detail, ...entry }) =>
        desk.audit({ ...entry, detail }, { operator, at }).catch(failed),
      ),
    );
  }

  /**
   * @param operator null: no operator has the address that was typed
   * @param action one of few, as `subject` is: each pair is an entry a minute
   * @param counted under which name it is counted in the entry
   */
  function note(operator: string | null, action: string, subject = "", counted = "count"): void {
    const key = [operator ?? unknown, action, subject].join("\0");
    const entry = gathered.get(key) ?? { operator: operator ?? unknown, action, subject, counts: {} };
    entry.counts[counted] = (entry.counts[counted] ?? 0) + 1;
    gathered.set(key, entry);
    timer ??= setTimeout(() => void write(), gatheredMs).unref();
  }

  return { note, write };
}
