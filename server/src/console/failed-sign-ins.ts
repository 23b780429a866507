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
  /** By operator. */
  readonly #gathered = new Map<string, { count: number; readonly timer: NodeJS.Timeout }>();

  constructor(desk: Pick<DeskStore, "audit">, clock: Clock, log: Log) {
    this.#desk = desk;
    this.#clock = clock;
    this.#log = log;
  }

  /** @param operator null: no operator has the address that was typed */
  note(operator: string | null): void {
    const name = operator ?? unknown;
    const gathering = this.#gathered.get(name);
    if (gathering !== undefined) {
      gathering.count += 1;
      return;
    }
    const timer = setTimeout(() => void this.#flush(name), gatheredMs).unref();
    this.#gathered.set(name, { count: 1, timer });
  }

  /** Writes what was gathered. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#gathered.keys()].map((name) => this.#flush(name)));
  }

  async #flush(operator: string): Promise<void> {
    const gathering = this.#gathered.get(operator);
    if (gathering === undefined) return;
    this.#gathered.delete(operator);
    clearTimeout(gathering.timer);
    const entry = { action: "sign-in.failed", subject: "", detail: { count: gathering.count } };
    await this.#desk
      .audit(entry, { operator, at: this.#clock.now() })
      .catch((error: unknown) =>
        this.#log.error({ err: error }, "failed sign-ins could not be written to the audit log"),
      );
  }
}
