// What following a link of a welcome mail does in SQLite. Its functions run inside a transaction that the store has
// opened, or read.
import { linkQueries } from "../queries/newsletter-links.ts";
import type { FollowedLink, LinkPurpose, SubscriberStatus } from "../records.ts";
import { linkWorks } from "../rules/subscription.ts";
import type { Engine } from "./queries.ts";

export interface NewsletterLinks {
  works(purpose: LinkPurpose, link: FollowedLink): boolean;
  confirm(link: FollowedLink): boolean;
  unsubscribe(link: FollowedLink): boolean;
}

interface Holder {
  readonly key: string;
  readonly status: SubscriberStatus;
}

export function newsletterLinksOf({ connection, queries }: Engine): NewsletterLinks {
  const query = linkQueries(queries);

  function holderOf(purpose: LinkPurpose, { tokenHash, at }: FollowedLink): Holder | undefined {
    const [holder] = connection.all(query.holder({ tokenHash, at, purpose }));
    return holder !== undefined && linkWorks(purpose, holder.status) ? holder : undefined;
  }

  return {
    works: (purpose, link) => holderOf(purpose, link) !== undefined,
    confirm(link) {
      const holder = holderOf("confirm", link);
      if (holder === undefined) return false;
      connection.run(query.confirm(holder.key, link.at));
      return true;
    },
    unsubscribe(link) {
      const holder = holderOf("unsubscribe", link);
      if (holder === undefined) return false;
      connection.run(query.leave(holder.key, link.at));
      connection.run(query.leaveBounced(holder.key, link.at));
      connection.run(query.killConfirmLinks(holder.key));
      return true;
    },
  };
}
