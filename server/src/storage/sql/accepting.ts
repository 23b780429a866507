// How a batch of submissions is looked up and written. What becomes of it is decided in `rules/decide.ts`; how its numbers
// are drawn and how it is locked, each engine knows.
import type { IdempotencyRecord } from "../records.ts";
import type { Decision } from "../rules/decide.ts";
import {
  earlierOf,
  type Facts,
  factsOf,
  type Found,
  holds,
  lookUpNames,
  lookUps,
  type Wanted,
} from "../rules/facts.ts";
import { tableNames } from "../rules/tables.ts";
import type { Store } from "../store.ts";
import { type Engine, type Query, type Steps, together } from "./engine.ts";

export function prepareAccepting(engine: Engine) {
  const { prepare, lookUp, insert } = engine;
  const finds = lookUpNames.map(
    (name) => [name, lookUp(name) as (things: readonly object[]) => Query<object>] as const,
  );
  const inserts = tableNames.map((name) => [name, insert(name) as (rows: readonly object[]) => Query<never>] as const);
  const deleteKey = prepare("DELETE FROM idempotency WHERE procedure = $1 AND key_hash = $2 AND created_at = $3");
  const deleteExpired = prepare("DELETE FROM newsletter_token WHERE email_key = $1 AND expires_at <= $2");

  return {
    *find(wanted: Wanted): Steps<Facts> {
      const asked = finds.filter(([name]) => wanted[name].length > 0);
      const rows = yield* together(asked.map(([name, find]) => find(wanted[name])));
      const found = Object.fromEntries(finds.map(([name]): [string, readonly object[]] => [name, []]));
      for (const [index, [name]] of asked.entries()) found[name] = rows[index] ?? [];
      return factsOf(wanted, found as unknown as Found);
    },

    /** What writes a decision, in this order. Only what it has rows for: a batch seldom needs all. */
    write: ({ rows, runOut, expired }: Decision): readonly Query<unknown>[] => [
      ...runOut.map(({ procedure, keyHash, createdAt }) => deleteKey(procedure, keyHash, createdAt)),
      ...inserts.flatMap(([name, store]) => (rows[name].length === 0 ? [] : store(rows[name]))),
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
