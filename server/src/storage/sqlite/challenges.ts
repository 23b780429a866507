// Spent challenges in SQLite. One is spent in the transaction that stores its submission. Its functions run inside a
// transaction that the store has opened.
import { compileOnce } from "../queries/compile.ts";
import type { ChallengeRecord } from "../records.ts";
import { spentChallengeRow } from "../rows/idempotency.ts";
import type { SpentChallengeTable } from "../schema.ts";
import { type Engine, insertOf } from "./queries.ts";

export interface SpentChallenges {
  has(challenge: ChallengeRecord): boolean;
  add(challenge: ChallengeRecord): void;
  forget(before: number): number;
}

export function spentChallengesOf({ connection, queries }: Engine): SpentChallenges {
  const insert = insertOf<SpentChallengeTable>(connection, (row) => queries.insertInto("spent_challenge").values(row));
  const found = compileOnce(["hash"], ({ hash }: { hash: string }) =>
    queries.selectFrom("spent_challenge").select("challenge_hash").where("challenge_hash", "=", hash),
  );
  return {
    has: ({ hash }) => connection.all(found({ hash })).length > 0,
    add: (challenge) => void insert(spentChallengeRow(challenge)),
    forget: (before) =>
      connection.run(queries.deleteFrom("spent_challenge").where("expires_at", "<=", before).compile()),
  };
}
