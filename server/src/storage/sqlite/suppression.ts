// Who must not be mailed, in SQLite. What news of an address changes is decided in `../suppression.ts`; here it is written
// down. Its functions run inside a transaction that the store has opened.
import { emailKey } from "@submissions/shared/fields";
import type { SubscriberStatus, SuppressionChange } from "../records.ts";
import { decideSuppression, readReason, statusAfterSuppression, statusBeforeRefusal } from "../suppression.ts";
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

  function subscriberOf(key: string) {
    const found = queries
      .selectFrom("subscriber")
      .select([
        "status",
        "welcomed_at as welcomedAt",
        "confirmed_at as confirmedAt",
        "unsubscribed_at as unsubscribedAt",
      ])
      .where("email_key", "=", key);
    return connection.all(found.compile())[0];
  }

  function hasConfirmLink(key: string): boolean {
    const link = queries.selectFrom("newsletter_token").select("purpose").where("email_key", "=", key);
    return connection.all(link.where("purpose", "=", "confirm").limit(1).compile()).length > 0;
  }

  function setStatus(key: string, status: SubscriberStatus, leftAt: number | null): void {
    const changed = queries
      .updateTable("subscriber")
      .set({ status, unsubscribed_at: leftAt })
      .where("email_key", "=", key);
    connection.run(changed.compile());
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
      const found = queries
        .selectFrom("suppression")
        .select(["reason", "changed_at as at"])
        .where("email_key", "=", key);
      const [known] = connection.all(found.compile());
      const subscriber = subscriberOf(key);
      const news = { reason: readReason(reason, known, subscriber?.status), at };
      const standing = decideSuppression(known, news);
      if (standing === null) return false;
      const row = { reason: standing.reason, changed_at: standing.at };
      const written = queries
        .insertInto("suppression")
        .values({ email_key: key, ...row })
        .onConflict((conflict) => conflict.column("email_key").doUpdateSet(row));
      connection.run(written.compile());
      // What only confirms a reason does nothing more to the subscriber.
      if (subscriber === undefined || news.reason === null || standing.reason !== news.reason) return true;
      const before = statusBeforeRefusal({ ...subscriber, hasConfirmLink: hasConfirmLink(key) }, known);
      const status = statusAfterSuppression(before, news.reason);
      if (status !== subscriber.status) {
        const leaves = status === "unsubscribed" && before !== "unsubscribed";
        setStatus(key, status, leaves ? at : subscriber.unsubscribedAt);
      }
      // Those of an inactive address stay, in case it is explained by nothing of theirs; of who is bounced none works.
      if (news.reason !== "inactive" && status !== "pending" && status !== "active") killConfirmLinks(key);
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
