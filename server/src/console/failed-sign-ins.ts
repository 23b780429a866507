// Writes failed sign-ins to the audit log: those of ten seconds as one entry with their count, so that an attacker cannot
// fill the log, and never before the answer, whose time would tell which accounts exist.
import type { Clock } from "../clock.ts";
import type { Log } from "../observe/log.ts";
import type { DeskStore } from "../storage/desk-store.ts";

const gatheredMs = 10 * 1000;
/** What stands in the log where no operator has the address that was typed. It may be a password in the wrong field. */
const unknown = "unknown";

export class FailedSignIns implements AsyncDisposable {
  readonly #desk: Pick<DeskStore, "audit">;
  readonly #clock: Clock;
  readonly #log: Log;
  /** How many, by operator, and how many more were refused unseen. */
  readonly #gathered = new Map<string, { failed: number; throttled: number }>();
  #timer: NodeJS.Timeout | undefined;

  constructor(desk: Pick<DeskStore, "audit">, clock: Clock, log: Log) {
    this.#desk = desk;
    this.#clock = clock;
    this.#log = log;
  }

  /**
   * @param operator null: no operator has the address that was typed
   * @param how whether a password was wrong, or too many had failed before, so that none was looked at
   */
  note(operator: string | null, how: "failed" | "throttled" = "failed"): void {
    const name = operator ?? unknown;
    const counts = this.#gathered.get(name) ?? { failed: 0, throttled: 0 };
    counts[how] += 1;
    this.#gathered.set(name, counts);
    this.#timer ??= setTimeout(() => void this.#write(), gatheredMs).unref();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#write();
  }

  /** Writes what was gathered. Never rejects. */
  async #write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const gathered = [...this.#gathered];
    this.#gathered.clear();
    const at = this.#clock.now();
    const failed = (error: unknown) =>
      this.#log.error({ err: error }, "failed sign-ins could not be written to the audit log");
    await Promise.all(
      gathered.map(([operator, { failed: count, throttled }]) => {
        const detail = throttled === 0 ? { count } : { count, throttled };
        return this.#desk.audit({ action: "sign-in.failed", subject: "", detail }, { operator, at }).catch(failed);
      }),
    );
  }
}
