// What a submission can be made with once only, as records and as rows, the same for every engine. Knows no SQL.
import type { ChallengeRecord, EarlierSubmission, IdempotencyRecord, MailStatus } from "../records.ts";
import type { IdempotencyTable, SpentChallengeTable } from "../schema.ts";

/** @param receiptMail the id of the receipt, if there is one */
export const idempotencyRow = (
  key: IdempotencyRecord,
  reference: string | null,
  receiptMail: string | null,
): IdempotencyTable => ({
  procedure: key.procedure,
  key_hash: key.keyHash,
  fingerprint: key.fingerprint,
  reference,
  receipt_mail: receiptMail,
  created_at: key.createdAt,
});

export const spentChallengeRow = ({ hash, expiresAt }: ChallengeRecord): SpentChallengeTable => ({
  challenge_hash: hash,
  expires_at: expiresAt,
});

/** @param row undefined when there is no such key */
export function earlierSubmission(
  row:
    | (Pick<IdempotencyTable, "fingerprint" | "reference"> & { readonly receiptStatus: MailStatus | null })
    | undefined,
): EarlierSubmission | null {
  if (row === undefined) return null;
  const { fingerprint, reference, receiptStatus } = row;
  return { fingerprint, reference, receiptSent: receiptStatus === "sent" };
}
