// How a batch of submissions is looked up and written. What becomes of it is decided in `rules/decide.ts`; how its numbers
// are drawn and how it is locked, each engine knows.
import type { IdempotencyRecord } from "../records.ts";
import type { Decision } from "../rules/decide.ts";
import { earlierOf, type Facts, factsOf, holds, lookUps, type Wanted } from "../rules/facts.ts";
import type { Store } from "../store.ts";
import type { Engine, Query, Steps } from "./engine.ts";

export function prepareAccepting(engine: Engine) {
  const { prepare, lookUp, insert } = engine;
  const deleteKey = prepare("DELETE FROM idempotency WHERE procedure = $1 AND key_hash = $2 AND created_at = $3");
  const deleteExpired = prepare("DELETE FROM newsletter_token WHERE email_key = $1 AND expires_at <= $2");

  return {
    *find(wanted: Wanted): Steps<Facts> {
      return factsOf(wanted, yield* lookUp(wanted));
    },

    /** What writes a decision, in this order. */
    write: ({ rows, runOut, expired }: Decision): readonly Query<unknown>[] => [
      ...runOut.map(({ procedure, keyHash, createdAt }) => deleteKey(procedure, keyHash, createdAt)),
      ...(Object.values(rows).some((of) => of.length > 0) ? [insert(rows)] : []),
      ...Array.from(expired, ([key, at]) => deleteExpired(key, at)),
    ],
  };
}

export function makeEarlier({ prepare, read }: Engine): Pick<Store, "findEarlier"> {
  const find = prepare<Parameters<typeof earlierOf>[0]>(lookUps.earlier.text);
  return {
    async findEarlier(key: IdempotencyRecord) {
      const [row] = await read(find(key.procedure, key.keyHash));
      return row !== undefined && holds(row, key) ? earlierOf(row) : null;
    },
  };
}
