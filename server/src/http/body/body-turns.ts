// Turns for large bodies. A client may send its 60 submissions at once, and to parse, check and store a large one takes some
// milliseconds. So they go one at a time, clients by turns, each followed by a pause: other requests are served in between.
import type { IncomingMessage } from "node:http";
import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import { Fault } from "../../fault.ts";
import type { ClientAddresses } from "../gate/client-address.ts";

/** Smaller bodies take no turn. Most submissions are smaller. */
export const largeBytes = 8 * 1024;
/** After a turn that something else made long. */
const pauseMsMax = 50;
const retryAfterSeconds = 2;

/** Waits for the turn of a large body that has arrived. It ends when something else is waited for. @throws Fault `overloaded` */
export type AwaitTurn = (request: IncomingMessage) => Promise<void>;

/** Makes what the bodies of a server take turns by. */
export function bodyTurns(addresses: Pick<ClientAddresses, "keysOf">, waitMs: number): AwaitTurn {
  /** Of each client that waits, those who begin its next turns, in the order of coming. */
  const lines = new Map<string, Set<() => void>>();
  let isBusy = false;

  async function run(): Promise<void> {
    isBusy = true;
    for (const [client, line] of lines) {
      lines.delete(client);
      const [begin] = line;
      if (begin === undefined) continue;
      line.delete(begin);
      // Behind those of the other clients: the loop comes to it again.
      if (line.size > 0) lines.set(client, line);
      const startedAt = performance.now();
      begin();
      await nextTurn();
      await pause(Math.min(performance.now() - startedAt, pauseMsMax));
    }
    isBusy = false;
  }

  return async (request) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const line = lines.getOrInsertComputed(addresses.keysOf(request).rate, () => new Set());
    line.add(resolve);
    const timer = setTimeout(() => {
      if (line.delete(resolve)) reject(new Fault("overloaded", { retryAfterSeconds }));
    }, waitMs);
    if (!isBusy) void run();
    await promise;
    clearTimeout(timer);
  };
}
