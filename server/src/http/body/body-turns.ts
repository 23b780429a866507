// Turns for large bodies. A client may send its 60 submissions at once, and to parse, check and store a large one takes some
// milliseconds. So they go one at a time, clients by turns, each followed by a pause: other requests are served in between.
import type { IncomingMessage } from "node:http";
import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import { Fault } from "../../fault.ts";
import type { ClientAddresses } from "../gate/client-address.ts";
import type { HttpLimits } from "../limits.ts";

/** Smaller bodies take no turn. Most submissions are smaller. */
export const largeBytes = 8 * 1024;
/** After a turn that something else made long. */
const pauseMsMax = 50;
const retryAfterSeconds = 2;

export class BodyTurns {
  readonly #addresses: Pick<ClientAddresses, "keysOf">;
  readonly #waitMs: number;
  /** Of each client that waits, those who begin its next turns, in the order of coming. */
  readonly #lines = new Map<string, Set<() => void>>();
  #isBusy = false;

  constructor(addresses: Pick<ClientAddresses, "keysOf">, { bodyTurnMsMax }: Pick<HttpLimits, "bodyTurnMsMax">) {
    this.#addresses = addresses;
    this.#waitMs = bodyTurnMsMax;
  }

  // Waits for the turn of a large body that has arrived. It ends when something else is waited for. @throws Fault `overloaded`
  async take(request: IncomingMessage): Promise<void> {
    const client = this.#addresses.keysOf(request).rate;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const line = this.#lines.getOrInsertComputed(client, () => new Set());
    line.add(resolve);
    const timer = setTimeout(() => {
      if (line.delete(resolve)) reject(new Fault("overloaded", { retryAfterSeconds }));
    }, this.#waitMs);
    if (!this.#isBusy) void this.#run();
    await promise;
    clearTimeout(timer);
  }

  async #run(): Promise<void> {
    this.#isBusy = true;
    for (const [client, line] of this.#lines) {
      this.#lines.delete(client);
      const [begin] = line;
      if (begin === undefined) continue;
      line.delete(begin);
      // Behind those of the other clients: the loop comes to it again.
      if (line.size > 0) this.#lines.set(client, line);
      const startedAt = performance.now();
      begin();
      await nextTurn();
      await pause(Math.min(performance.now() - startedAt, pauseMsMax));
    }
    this.#isBusy = false;
  }
}
