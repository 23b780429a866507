// The queries about addresses that must not be mailed that every engine runs alike. Builds them and runs none.
import type { Standing, StatusChange } from "../rules/suppression.ts";
import { compileOnce, type Queries } from "./compile.ts";

export const suppressionQueries = (queries: Queries) => ({
  known: (key: string) =>
    queries.selectFrom("suppression").select(["reason", "changed_at as at"]).where("email_key", "=", key).compile(),

  subscriber: (key: string) =>
    queries
      .selectFrom("subscriber")
      .select([
        "status",
        "welcomed_at as welcomedAt",
        "confirmed_at as confirmedAt",
        "unsubscribed_at as unsubscribedAt",
      ])
      .where("email_key", "=", key)
      .compile(),

  confirmLink: (key: string) =>
    queries
      .selectFrom("newsletter_token")
      .select("purpose")
      .where("email_key", "=", key)
      .where("purpose", "=", "confirm")
      .limit(1)
      .compile(),

  write(key: string, { reason, at }: Standing) {
    const row = { reason, changed_at: at };
    return queries
      .insertInto("suppression")
      .values({ email_key: key, ...row })
      .onConflict((conflict) => conflict.column("email_key").doUpdateSet(row))
      .compile();
  },

  setStatus: (key: string, { status, unsubscribedAt }: StatusChange) =>
    queries
      .updateTable("subscriber")
      .set({ status, unsubscribed_at: unsubscribedAt })
      .where("email_key", "=", key)
      .compile(),

  /** The addressee of an automatic mail that an owner has leased. */
  addressee: compileOnce(["id", "owner"], ({ id, owner }: { readonly id: string; readonly owner: string }) =>
    queries
      .selectFrom("mail")
      .select("automatic_to as email")
      .where("id", "=", id)
      .where("lease_owner", "=", owner)
      .where("automatic_to", "is not", null),
  ),
});
