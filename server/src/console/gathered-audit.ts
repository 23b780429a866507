// Writes to the audit log what may come often: failed sign-ins, refused calls, what tokens read. A minute of the same is one
// entry with a count, so that an attacker cannot fill the log; and the time of an answer does not tell which accounts exist.
import type { Clock } from "../clock.ts";
import type { Log } from "../observe/log.ts";
import type { AuditEntry, DeskStore } from "../storage/desk-store.ts";

const gatheredMs = 60 * 1000;
/** What stands in the log where no operator has the address that was typed. It may be a password in the wrong field. */
const unknown = "unknown";

interface Gathered extends Pick<AuditEntry, "action" | "subject"> {
  readonly operator: string;
  readonly counts: Record<string, number>;
}

export class GatheredAudit {
  readonly #desk: Pick<DeskStore, "audit">;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #gathered = new Map<string, Gathered>();
  #timer: NodeJS.Timeout | undefined;

  constructor(desk: Pick<DeskStore, "audit">, clock: Clock, log: Log) {
    this.#desk = desk;
    this.#clock = clock;
    this.#log = log;
  }

  /**
   * @param operator null: no operator has the address that was typed
   * @param action one of few, as `subject` is: each pair is an entry a minute
   * @param counted under which name it is counted in the entry
   */
  note(operator: string | null, action: string, subject = "", counted = "count"): void {
    const key = [operator ?? unknown, action, subject].join("\0");
    const entry = this.#gathered.get(key) ?? { operator: operator ?? unknown, action, subject, counts: {} };
    entry.counts[counted] = (entry.counts[counted] ?? 0) + 1;
    this.#gathered.set(key, entry);
    this.#timer ??= setTimeout(() => void this.write(), gatheredMs).unref();
  }

  /** Writes what was gathered. Never rejects. */
  async write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const gathered = [...this.#gathered.values()];
    this.#gathered.clear();
    const at = this.#clock.now();
    const failed = (error: unknown) => this.#log.error({ err: error }, "the audit log could not be written");
    await Promise.all(
      gathered.map(({ operator, counts: detail, ...entry }) =>
        this.#desk.audit({ ...entry, detail }, { operator, at }).catch(failed),
      ),
    );
  }
}
