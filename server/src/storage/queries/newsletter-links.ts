// The queries about links in welcome mails that every engine runs alike. Builds them and runs none.
import type { FollowedLink, LinkPurpose } from "../records.ts";
import { compileOnce, type Queries } from "./compile.ts";

export const linkQueries = (queries: Queries) => ({
  /** The subscriber that a link is of, unless it has expired. */
  holder: compileOnce(
    ["tokenHash", "at", "purpose"],
    ({ tokenHash, at, purpose }: FollowedLink & { readonly purpose: LinkPurpose }) =>
      queries
        .selectFrom("newsletter_token as token")
        .innerJoin("subscriber", "subscriber.email_key", "token.email_key")
        .select(["subscriber.email_key as key", "subscriber.status"])
        .where("token.token_hash", "=", tokenHash)
        .where("token.purpose", "=", purpose)
        .where((is) => is.or([is("token.expires_at", "is", null), is("token.expires_at", ">", at)])),
  ),

  /** The first time counts, also for who became active without confirming. */
  confirm: (key: string, at: number) =>
    queries
      .updateTable("subscriber")
      .set({ status: "active", confirmed_at: at, unsubscribed_at: null })
      .where("email_key", "=", key)
      .where((is) => is.or([is("status", "!=", "active"), is("confirmed_at", "is", null)]))
      .compile(),

  /** The first time counts: leaving twice must not earn the address another welcome mail. */
  leave: (key: string, at: number) =>
    queries
      .updateTable("subscriber")
      .set({ status: "unsubscribed", unsubscribed_at: at })
      .where("email_key", "=", key)
      .where("status", "in", ["pending", "active"])
      .compile(),

  /** Kept for the day when it turns out why mail to them was refused. */
  leaveBounced: (key: string, at: number) =>
    queries
      .updateTable("subscriber")
      .set({ unsubscribed_at: at })
      .where("email_key", "=", key)
      .where("status", "=", "bounced")
      .where("unsubscribed_at", "is", null)
      .compile(),

  /** Deletes the confirm links of an address. */
  killConfirmLinks: (key: string) =>
    queries.deleteFrom("newsletter_token").where("email_key", "=", key).where("purpose", "=", "confirm").compile(),
});
