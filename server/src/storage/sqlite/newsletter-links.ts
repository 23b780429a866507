// What following a link of a welcome mail does in SQLite. Its functions run inside a transaction that the store has
// opened, or read.
import type { FollowedLink, LinkPurpose, SubscriberStatus } from "../records.ts";
import { linkWorks } from "../subscription.ts";
import { compileOnce, type Engine } from "./queries.ts";

export interface NewsletterLinks {
  works(purpose: LinkPurpose, link: FollowedLink): boolean;
  confirm(link: FollowedLink): boolean;
  unsubscribe(link: FollowedLink): boolean;
}

/** Deletes the confirm links of an address, in the form of `emailKey`. */
export type KillConfirmLinks = (addressKey: string) => void;

interface Holder {
  readonly key: string;
  readonly status: SubscriberStatus;
}

export function newsletterLinksOf(engine: Engine): NewsletterLinks {
  const { connection, queries } = engine;
  const killConfirmLinks = killConfirmLinksOf(engine);
  const find = compileOnce(
    ["tokenHash", "at", "purpose"],
    ({ tokenHash, at, purpose }: FollowedLink & { readonly purpose: LinkPurpose }) =>
      queries
        .selectFrom("newsletter_token as token")
        .innerJoin("subscriber", "subscriber.email_key", "token.email_key")
        .select(["subscriber.email_key as key", "subscriber.status"])
        .where("token.token_hash", "=", tokenHash)
        .where("token.purpose", "=", purpose)
        .where((is) => is.or([is("token.expires_at", "is", null), is("token.expires_at", ">", at)])),
  );

  function holderOf(purpose: LinkPurpose, { tokenHash, at }: FollowedLink): Holder | undefined {
    const [holder] = connection.all(find({ tokenHash, at, purpose }));
    return holder !== undefined && linkWorks(purpose, holder.status) ? holder : undefined;
  }

  return {
    works: (purpose, link) => holderOf(purpose, link) !== undefined,
    confirm(link) {
      const holder = holderOf("confirm", link);
      if (holder === undefined) return false;
      const confirmed = queries
        .updateTable("subscriber")
        .set({ status: "active", confirmed_at: link.at, unsubscribed_at: null })
        .where("email_key", "=", holder.key)
        // The first time counts, also for who became active without confirming.
        .where((is) => is.or([is("status", "!=", "active"), is("confirmed_at", "is", null)]));
      connection.run(confirmed.compile());
      return true;
    },
    unsubscribe(link) {
      const holder = holderOf("unsubscribe", link);
      if (holder === undefined) return false;
      // The first time counts: leaving twice must not earn the address another welcome mail.
      const left = queries
        .updateTable("subscriber")
        .set({ status: "unsubscribed", unsubscribed_at: link.at })
        .where("email_key", "=", holder.key)
        .where("status", "in", ["pending", "active"]);
      connection.run(left.compile());
      // Kept for the day when it turns out why mail to them was refused.
      const leftBounced = queries
        .updateTable("subscriber")
        .set({ unsubscribed_at: link.at })
        .where("email_key", "=", holder.key)
        .where("status", "=", "bounced")
        .where("unsubscribed_at", "is", null);
      connection.run(leftBounced.compile());
      killConfirmLinks(holder.key);
      return true;
    },
  };
}

export function killConfirmLinksOf({ connection, queries }: Engine): KillConfirmLinks {
  return (addressKey) => {
    const killed = queries.deleteFrom("newsletter_token").where("email_key", "=", addressKey);
    connection.run(killed.where("purpose", "=", "confirm").compile());
  };
}
