// How what was decided about submissions (`rules/decide.ts`) is written, and how a key that was taken is found. How numbers
// are drawn and what is locked, each engine knows.
import type { IdempotencyRecord } from "../records.ts";
import type { Decision } from "../rules/decide.ts";
import { earlierOf, stands, lookUps } from "../rules/facts.ts";
import type { Store } from "../store.ts";
import type { Engine, Query } from "./engine.ts";

export function prepareWriting(engine: Engine) {
  const { prepare, insert } = engine;
  const deleteKey = prepare("DELETE FROM idempotency WHERE procedure = $1 AND key_hash = $2 AND created_at = $3");
  const deleteExpired = prepare("DELETE FROM newsletter_token WHERE email_key = $1 AND expires_at <= $2");

  /** What writes a decision, in this order. */
  return ({ rows, runOut, expired }: Decision): readonly Query<unknown>[] => [
    ...runOut.map(({ procedure, keyHash, createdAt }) => deleteKey(procedure, keyHash, createdAt)),
    ...(Object.values(rows).some((of) => of.length > 0) ? [insert(rows)] : []),
    ...Array.from(expired, ([key, at]) => deleteExpired(key, at)),
  ];
}

export function makeEarlier({ prepare, read }: Engine): Pick<Store, "findEarlier"> {
  const find = prepare<Parameters<typeof earlierOf>[0]>(lookUps.earlier.text);
  return {
    async findEarlier(key: IdempotencyRecord) {
      const [row] = await read(find(key.procedure, key.keyHash));
      return row !== undefined && stands(row, key) ? earlierOf(row) : null;
    },
  };
}
