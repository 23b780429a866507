// How many reads and exports one operator or token has at once. Further ones wait. Each process counts alone.
import { addAbortListener } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { Fault } from "../fault.ts";

type TurnLimits = Readonly<typeof pieceTurns>;

/** Pieces of all exports are made one after the other. An operator has few exports, so few wait. */
const pieceTurns = { atOnceMax: 1, waitingMax: 1_000, waitMs: 60_000 };

// After 15 s a caller is still there to be told: connections on which nothing moves are cut after 20 s.
/** A page of the console asks for six things. */
export const readTurns: TurnLimits = { atOnceMax: 4, waitingMax: 40, waitMs: 15_000 };
export const exportTurns: TurnLimits = { atOnceMax: 2, waitingMax: 4, waitMs: 15_000 };

interface Line {
  busy: number;
  /** Each begins the next one, in the order of coming. */
  readonly waiting: Set<() => void>;
}

export function openTurns({ atOnceMax, waitingMax, waitMs }: TurnLimits) {
  const lines = new Map<string, Line>();

  function wait({ waiting }: Line, gone: AbortSignal): Promise<void> {
    const refusal = () => new Fault("tooManyRequests", { retryAfterSeconds: 1 });
    if (waiting.size >= waitingMax || gone.aborted) throw refusal();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const giveUp = () => reject(refusal());
    const timer = setTimeout(giveUp, waitMs);
    const watch = addAbortListener(gone, giveUp);
    waiting.add(resolve);
    return promise.finally(() => {
      waiting.delete(resolve);
      clearTimeout(timer);
      watch[Symbol.dispose]();
    });
  }

  function end(key: string, line: Line): void {
    const [next] = line.waiting;
    if (next !== undefined) {
      line.waiting.delete(next);
      next();
    } else {
      line.busy -= 1;
      if (line.busy === 0) lines.delete(key);
    }
  }

  return {
    /**
     * Waits for a turn; it ends with the disposing.
     * @throws Fault `tooManyRequests` when too many wait already, when it has waited too long, or when the client has gone
     */
    async take(key: string, gone: AbortSignal): Promise<Disposable> {
      const line = lines.get(key) ?? { busy: 0, waiting: new Set() };
      lines.set(key, line);
      if (line.busy < atOnceMax) line.busy += 1;
      else await wait(line, gone);
      const turn = new DisposableStack();
      turn.defer(() => end(key, line));
      return turn;
    },
  };
}

/** A server that answers slowly costs the event loop nothing meanwhile. */
const pacePauseMsMax = 100;

/**
 * Paces exports: one piece is made at a time for all operators, and then nothing for as long as the making took. So exports
 * take half of the event loop at most, and submissions are served in between.
 */
export function makePacer() {
  const turns = openTurns(pieceTurns);
  return async function* pace<Piece>(pieces: AsyncIterable<Piece>, gone: AbortSignal): AsyncGenerator<Piece> {
    const making = pieces[Symbol.asyncIterator]();
    const make = async () => {
      using _turn = await turns.take("piece", gone);
      const startedAt = performance.now();
      const made = await making.next();
      await pause(Math.min(performance.now() - startedAt, pacePauseMsMax));
      return made;
    };
    try {
      for (let made = await make(); made.done !== true; made = await make()) yield made.value;
    } finally {
      await making.return?.();
    }
  };
}
