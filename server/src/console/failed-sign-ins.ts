// Writes failed sign-ins to the audit log: the first one of a minute at once, the others of that minute as one entry with
// their count, so that an attacker cannot fill the log.
import type { Clock } from "../clock.ts";
import type { Log } from "../observe/log.ts";
import type { DeskStore } from "../storage/desk-store.ts";

const gatheredMs = 60 * 1000;
/** What stands in the log where no operator has the address that was typed. It may be a password in the wrong field. */
const unknown = "unknown";

export class FailedSignIns implements AsyncDisposable {
  readonly #desk: Pick<DeskStore, "audit">;
  readonly #clock: Clock;
  readonly #log: Log;
  /** By operator: how many failed since the entry that was written. */
  readonly #gathered = new Map<string, { count: number; readonly timer: NodeJS.Timeout }>();

  constructor(desk: Pick<DeskStore, "audit">, clock: Clock, log: Log) {
    this.#desk = desk;
    this.#clock = clock;
    this.#log = log;
  }

  /** @param operator null: no operator has the address that was typed */
  async note(operator: string | null): Promise<void> {
    const name = operator ?? unknown;
    const gathering = this.#gathered.get(name);
    if (gathering !== undefined) {
      gathering.count += 1;
      return;
    }
    const timer = setTimeout(() => void this.#flush(name), gatheredMs).unref();
    this.#gathered.set(name, { count: 0, timer });
    await this.#write(name, 1);
  }

  /** Writes what was gathered. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#gathered.keys()].map((name) => this.#flush(name)));
  }

  async #flush(name: string): Promise<void> {
    const gathering = this.#gathered.get(name);
    this.#gathered.delete(name);
    clearTimeout(gathering?.timer);
    if (gathering === undefined || gathering.count === 0) return;
    await this.#write(name, gathering.count).catch((error: unknown) =>
      this.#log.error({ err: error }, "failed sign-ins could not be written to the audit log"),
    );
  }

  async #write(operator: string, count: number): Promise<void> {
    const at = this.#clock.now();
    await this.#desk.audit({ action: "sign-in.failed", subject: "", detail: { count } }, { operator, at });
  }
}
