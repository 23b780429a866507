// Who must not be mailed, in SQLite. What news of an address changes is decided in `../suppression.ts`; here it is written
// down. Its functions run inside a transaction that the store has opened.
import { emailKey } from "@submissions/shared/fields";
import type { SuppressionChange, SuppressionReason } from "../records.ts";
import { decideSuppression, statusAfterSuppression } from "../suppression.ts";
import { killConfirmLinksOf } from "./newsletter-links.ts";
import { compileOnce, type Engine } from "./queries.ts";

export interface Suppressions {
  /** Answers whether the change was news. */
  note(change: SuppressionChange): boolean;
  /** Notes that the recipient of a mail was refused, if the mail is the owner's and not for the team. */
  noteRefusal(refused: { readonly id: string; readonly at: number }, owner: string): void;
}

export function suppressionsOf(engine: Engine): Suppressions {
  const { connection, queries } = engine;
  const killConfirmLinks = killConfirmLinksOf(engine);

  function endSubscription(key: string, reason: SuppressionReason, at: number): void {
    const found = queries.selectFrom("subscriber").select("status").where("email_key", "=", key);
    const [subscriber] = connection.all(found.compile());
    if (subscriber === undefined) return;
    const status = statusAfterSuppression(subscriber.status, reason);
    if (status !== subscriber.status) {
      const ended = queries
        .updateTable("subscriber")
        .set({ status, ...(status === "unsubscribed" && { unsubscribed_at: at }) })
        .where("email_key", "=", key);
      connection.run(ended.compile());
    }
    if (status !== "pending" && status !== "active") killConfirmLinks(key);
  }

  const automaticMail = compileOnce(["id", "owner"], ({ id, owner }: { id: string; owner: string }) =>
    queries
      .selectFrom("mail")
      .select("automatic_to as email")
      .where("id", "=", id)
      .where("lease_owner", "=", owner)
      .where("automatic_to", "is not", null),
  );

  const suppressions: Suppressions = {
    note({ email, reason, at }) {
      const key = emailKey(email);
      const known = queries
        .selectFrom("suppression")
        .select(["reason", "changed_at as at"])
        .where("email_key", "=", key);
      const standing = decideSuppression(connection.all(known.compile())[0], { reason, at });
      if (standing === null) return false;
      const row = { reason: standing.reason, changed_at: standing.at };
      const written = queries
        .insertInto("suppression")
        .values({ email_key: key, ...row })
        .onConflict((conflict) => conflict.column("email_key").doUpdateSet(row));
      connection.run(written.compile());
      if (reason !== null) endSubscription(key, reason, at);
      return true;
    },
    noteRefusal({ id, at }, owner) {
      for (const { email } of connection.all(automaticMail({ id, owner }))) {
        if (email !== null) suppressions.note({ email, reason: "inactive", at });
      }
    },
  };
  return suppressions;
}
