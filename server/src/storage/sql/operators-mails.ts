// How many mails an operator may still send to people: replies, and what is sent again of replies and notices, count together.
import { emailKey } from "@submissions/shared/fields";
import { type Actor, repliesMax, repliesMs } from "../desk-store.ts";
import type { Engine, Steps } from "./engine.ts";

/** In `mail.again_key` of a reply or notice that an operator sent again. It is no address, so no cap of an address counts it. */
export const againBy = (operator: string): string => `operator ${emailKey(operator)}`;

/** Keeps other transactions from sending in the name of the operator. Answers when it may send so many more; null: now. */
export function prepareOperatorLimit({ prepare, lockAddress }: Engine) {
  // From the audit log: a reply that was taken back, or erased with its person, is in no other table.
  const replies = prepare<{ at: number }>(`
    SELECT at FROM audit WHERE action = 'reply' AND operator = $1 AND at > $2 AND at < $3 ORDER BY at DESC LIMIT ${repliesMax}`);
  const again = prepare<{ at: number }>(`
    SELECT again_at AS at FROM mail WHERE again_key = $1 AND again_at > $2 AND again_at < $3
    ORDER BY again_at DESC LIMIT ${repliesMax}`);
  return function* ({ operator, at }: Actor, more: number): Steps<number | null> {
    const [key, since, until] = [againBy(operator), at - repliesMs, at + repliesMs];
    const sent = (yield* lockAddress(key, [replies(operator, since, until), again(key, since, until)])).flat();
    const latest = sent.toSorted((one, other) => other.at - one.at);
    const inTheWay = latest[repliesMax - more];
    return inTheWay === undefined ? null : inTheWay.at + repliesMs;
  };
}
