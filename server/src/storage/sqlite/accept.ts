// Accepts a batch of submissions within a transaction of the commit queue. No other transaction runs meanwhile, so that the
// numbers of rows follow those that are stored.
import { referencesPerDay } from "@submissions/shared/reference";
import { reached } from "../../failpoint.ts";
import { decide } from "../rules/decide.ts";
import { type Numbers, type NumbersWanted, wantedBy } from "../rules/facts.ts";
import type { References } from "../rules/references.ts";
import { prepareAccepting } from "../sql/accepting.ts";
import { type Engine, type Steps, together } from "../sql/engine.ts";
import type { Acceptance, Entry } from "../store.ts";

export function prepareAccept(engine: Engine, references: References) {
  const { find, write } = prepareAccepting(engine);
  const lastNumber = engine.prepare<{ seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = $1");
  const findTaken = engine.prepare<{ taken: number }>("SELECT taken FROM day_counter WHERE kind = $1 AND day = $2");
  const addTaken = engine.prepare(
    "INSERT INTO day_counter (kind, day, taken) VALUES ($1, $2, $3) ON CONFLICT DO UPDATE SET taken = taken + $3",
  );

  function* draw({ arrivals, mails, counters }: NumbersWanted): Steps<Numbers> {
    const [[submission], [mail]] = yield* together([lastNumber("submission"), lastNumber("mail")]);
    const drawn = new Map<string, number[]>();
    for (const [name, { kind, day, count }] of counters) {
      const [{ taken } = { taken: 0 }] = yield* findTaken(kind, day);
      drawn.set(name, from(taken, Math.min(count, referencesPerDay - taken)));
    }
    return {
      arrivals: from((submission?.seq ?? 0) + 1, arrivals),
      mails: from((mail?.seq ?? 0) + 1, mails),
      counters: drawn,
    };
  }

  return function* accept(entries: readonly Entry[]): Steps<readonly Acceptance[]> {
    const { wanted, numbers: needed } = wantedBy(entries);
    const numbers = yield* draw(needed);
    const left = Array.from(needed.counters, ([name, of]) => ({
      ...of,
      name,
      before: numbers.counters.get(name)?.length ?? 0,
    }));
    const decision = decide(entries, yield* find(wanted), numbers, references);
    yield* together(write(decision));
    for (const { kind, day, name, before } of left) {
      const used = before - (numbers.counters.get(name)?.length ?? 0);
      if (used > 0) yield* addTaken(kind, day, used);
    }
    reached("row-written");
    reached("before-commit");
    return decision.answers;
  };
}

const from = (first: number, count: number): number[] =>
  Array.from({ length: Math.max(0, count) }, (_, index) => first + index);
