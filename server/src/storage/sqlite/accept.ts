// Accepts a batch of submissions within a transaction of the commit queue. No other transaction runs meanwhile, so that the
// numbers of rows follow those that are stored.
import { reached } from "../../failpoint.ts";
import { decide } from "../rules/decide.ts";
import { wantedBy } from "../rules/facts.ts";
import type { References } from "../rules/references.ts";
import { prepareAccepting } from "../sql/accepting.ts";
import { type Engine, type Steps, together } from "../sql/engine.ts";
import type { Acceptance, Entry } from "../store.ts";

export function prepareAccept(engine: Engine, references: References) {
  const { find, write } = prepareAccepting(engine);
  const lastNumber = engine.prepare<{ seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = $1");

  return function* accept(entries: readonly Entry[]): Steps<readonly Acceptance[]> {
    const { wanted, numbers } = wantedBy(entries);
    const [[submission], [mail]] = yield* together([lastNumber("submission"), lastNumber("mail")]);
    const arrivals = behind(submission?.seq, numbers.arrivals);
    const mails = behind(mail?.seq, numbers.mails);
    const decision = decide(entries, yield* find(wanted), { arrivals, mails }, references);
    yield* together(write(decision));
    reached("row-written");
    reached("before-commit");
    return decision.answers;
  };
}

const behind = (last = 0, count: number): number[] => Array.from({ length: count }, (_, index) => last + 1 + index);
