// What following a link of a welcome mail does in PostgreSQL.
import type { Queries } from "../queries/compile.ts";
import { linkQueries } from "../queries/newsletter-links.ts";
import type { FollowedLink, LinkPurpose } from "../records.ts";
import { linkWorks } from "../rules/subscription.ts";
import { lockAddresses } from "./addressees.ts";
import type { Connections, Session } from "./connections.ts";

export interface NewsletterLinks {
  works(purpose: LinkPurpose, link: FollowedLink): Promise<boolean>;
  confirm(link: FollowedLink): Promise<boolean>;
  unsubscribe(link: FollowedLink): Promise<boolean>;
}

export function newsletterLinksOf(connections: Connections, queries: Queries): NewsletterLinks {
  const query = linkQueries(queries);

  async function holderOf(session: Session, purpose: LinkPurpose, { tokenHash, at }: FollowedLink) {
    const [holder] = await session.all(query.holder({ tokenHash, at, purpose }));
    return holder !== undefined && linkWorks(purpose, holder.status) ? holder : undefined;
  }

  // Whose link it is can be known only by looking, and looking counts only once the address is locked.
  const follow = (
    purpose: LinkPurpose,
    link: FollowedLink,
    change: (session: Session, key: string) => Promise<unknown>,
  ): Promise<boolean> =>
    connections.transaction(async (session) => {
      const seen = await holderOf(session, purpose, link);
      if (seen === undefined) return false;
      await lockAddresses(queries, session, [seen.key]);
      const holder = await holderOf(session, purpose, link);
      if (holder === undefined) return false;
      await change(session, holder.key);
      return true;
    });

  return {
    async works(purpose, { tokenHash, at }) {
      const [holder] = await connections.read(query.holder({ tokenHash, at, purpose }));
      return holder !== undefined && linkWorks(purpose, holder.status);
    },
    confirm: (link) => follow("confirm", link, (session, key) => session.run(query.confirm(key, link.at))),
    unsubscribe: (link) =>
      follow("unsubscribe", link, async (session, key) => {
        await session.run(query.leave(key, link.at));
        await session.run(query.leaveBounced(key, link.at));
        await session.run(query.killConfirmLinks(key));
      }),
  };
}
