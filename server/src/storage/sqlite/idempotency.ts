// Idempotency keys in SQLite. A key is taken in the transaction that stores its submission. Its functions run inside a
// transaction that the store has opened, or read.
import type { EarlierSubmission, IdempotencyRecord } from "../records.ts";
import type { IdempotencyTable } from "../schema.ts";
import { idempotencyMs } from "../store.ts";
import { compileOnce, type Engine, insertOf } from "./queries.ts";

export interface IdempotencyKeys {
  /** Whether the key stands for a submission already; one that has run out does not and is forgotten. */
  isTaken(key: IdempotencyRecord): boolean;
  take(key: IdempotencyRecord, reference: string | null, receiptMail: string | null): void;
  find(procedure: string, keyHash: string, since: number): EarlierSubmission | null;
  forget(before: number): number;
}

export function idempotencyKeysOf({ connection, queries }: Engine): IdempotencyKeys {
  const insert = insertOf<IdempotencyTable>(connection, (row) => queries.insertInto("idempotency").values(row));
  const found = compileOnce(
    ["procedure", "keyHash", "since"],
    ({ procedure, keyHash, since }: { procedure: string; keyHash: string; since: number }) =>
      queries
        .selectFrom("idempotency")
        .leftJoin("mail", "mail.id", "idempotency.receipt_mail")
        .select(["idempotency.fingerprint", "idempotency.reference", "mail.status as receiptStatus"])
        .where("procedure", "=", procedure)
        .where("key_hash", "=", keyHash)
        .where("idempotency.created_at", ">", since),
  );
  const expired = compileOnce(["procedure", "keyHash"], ({ procedure, keyHash }: IdempotencyRecord) =>
    queries.deleteFrom("idempotency").where("procedure", "=", procedure).where("key_hash", "=", keyHash),
  );
  const find: IdempotencyKeys["find"] = (procedure, keyHash, since) => {
    const [row] = connection.all(found({ procedure, keyHash, since }));
    if (row === undefined) return null;
    const { fingerprint, reference, receiptStatus } = row;
    return { fingerprint, reference, receiptSent: receiptStatus === "sent" };
  };
  return {
    find,
    isTaken(key) {
      if (find(key.procedure, key.keyHash, key.createdAt - idempotencyMs) !== null) return true;
      connection.run(expired(key));
      return false;
    },
    take(key, reference, receiptMail) {
      insert({
        procedure: key.procedure,
        key_hash: key.keyHash,
        fingerprint: key.fingerprint,
        reference,
        receipt_mail: receiptMail,
        created_at: key.createdAt,
      });
    },
    forget(before) {
      return connection.run(queries.deleteFrom("idempotency").where("created_at", "<=", before).compile());
    },
  };
}
