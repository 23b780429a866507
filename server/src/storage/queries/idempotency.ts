// The query about what a submission can be made with once only that every engine runs alike. Builds it and runs none.
import { compileOnce, type Queries } from "./compile.ts";

export const onceQueries = (queries: Queries) => ({
  findKey: compileOnce(
    ["procedure", "keyHash", "since"],
    ({ procedure, keyHash, since }: { procedure: string; keyHash: string; since: number }) =>
      queries
        .selectFrom("idempotency")
        .leftJoin("mail", "mail.id", "idempotency.receipt_mail")
        .select(["idempotency.fingerprint", "idempotency.reference", "mail.status as receiptStatus"])
        .where("procedure", "=", procedure)
        .where("key_hash", "=", keyHash)
        .where("idempotency.created_at", ">", since),
  ),
});
