// Idempotency keys in SQLite. A key is taken in the transaction that stores its submission. Its functions run inside a
// transaction that the store has opened, or read.
import { compileOnce } from "../queries/compile.ts";
import { onceQueries } from "../queries/idempotency.ts";
import type { EarlierSubmission, IdempotencyRecord } from "../records.ts";
import { earlierSubmission, idempotencyRow } from "../rows/idempotency.ts";
import type { IdempotencyTable } from "../schema.ts";
import { idempotencyMs } from "../store.ts";
import { type Engine, insertOf } from "./queries.ts";

export interface IdempotencyKeys {
  /** Whether the key stands for a submission already; one that has run out does not and is forgotten. */
  isTaken(key: IdempotencyRecord): boolean;
  take(key: IdempotencyRecord, reference: string | null, receiptMail: string | null): void;
  find(procedure: string, keyHash: string, since: number): EarlierSubmission | null;
  forget(before: number): number;
}

export function idempotencyKeysOf({ connection, queries }: Engine): IdempotencyKeys {
  const query = onceQueries(queries);
  const insert = insertOf<IdempotencyTable>(connection, (row) => queries.insertInto("idempotency").values(row));
  const expired = compileOnce(["procedure", "keyHash"], ({ procedure, keyHash }: IdempotencyRecord) =>
    queries.deleteFrom("idempotency").where("procedure", "=", procedure).where("key_hash", "=", keyHash),
  );
  const find: IdempotencyKeys["find"] = (procedure, keyHash, since) =>
    earlierSubmission(connection.all(query.findKey({ procedure, keyHash, since }))[0]);
  return {
    find,
    isTaken(key) {
      if (find(key.procedure, key.keyHash, key.createdAt - idempotencyMs) !== null) return true;
      connection.run(expired(key));
      return false;
    },
    take: (...taken) => void insert(idempotencyRow(...taken)),
    forget: (before) => connection.run(queries.deleteFrom("idempotency").where("created_at", "<=", before).compile()),
  };
}
