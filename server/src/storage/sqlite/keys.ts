// Idempotency keys: each stands for one submission. Runs inside a transaction of the commit queue, or reads.
import type { EarlierSubmission, IdempotencyRecord } from "../records.ts";
import { idempotencyMs } from "../store.ts";
import type { SqliteConnection } from "./connection.ts";

/** What a key stands for: a submission, a subscriber, or neither (a subscription that was spam). */
export interface KeyOwner {
  readonly submission: number | null;
  readonly subscriber: string | null;
}

export const noOwner: KeyOwner = { submission: null, subscriber: null };

export function prepareKeys(connection: SqliteConnection) {
  interface Row {
    readonly fingerprint: string;
    readonly reference: string | null;
    readonly status: string | null;
    readonly receiptSent: number;
  }
  const find = connection.prepare<[string, string, number], Row>(`
    SELECT idempotency.fingerprint, submission.reference, submission.status,
      EXISTS (SELECT 1 FROM mail WHERE mail.submission = submission.arrival AND mail.status = 'sent'
        AND mail.kind IN ('inquiry-receipt', 'application-receipt')) AS receiptSent
    FROM idempotency LEFT JOIN submission ON submission.arrival = idempotency.submission
    WHERE procedure = ? AND key_hash = ? AND created_at > ?`);
  // A key that has run out may still be there.
  const take = connection.prepare<[string, string, string, number | null, string | null, number]>(`
    INSERT OR REPLACE INTO idempotency (procedure, key_hash, fingerprint, submission, subscriber, created_at)
    VALUES (?, ?, ?, ?, ?, ?)`);
  return {
    find({ procedure, keyHash, createdAt }: IdempotencyRecord): EarlierSubmission | null {
      const row = find.get(procedure, keyHash, createdAt - idempotencyMs);
      if (row === undefined) return null;
      const { fingerprint, reference, status, receiptSent } = row;
      return { fingerprint, reference, receiptSent: receiptSent === 1, spam: status === "spam" };
    },
    take(
      { procedure, keyHash, fingerprint, createdAt }: IdempotencyRecord,
      { submission, subscriber }: KeyOwner,
    ): void {
      take.run(procedure, keyHash, fingerprint, submission, subscriber, createdAt);
    },
  };
}
