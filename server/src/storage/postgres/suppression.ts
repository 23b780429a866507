// Who must not be mailed, in PostgreSQL. What news of an address changes is decided in `../suppression.ts`; here it is
// written down.
import { emailKey } from "@submissions/shared/fields";
import type { Queries } from "../queries/compile.ts";
import { linkQueries } from "../queries/newsletter-links.ts";
import { suppressionQueries } from "../queries/suppression.ts";
import type { SuppressionChange } from "../records.ts";
import { decideNews } from "../rules/suppression.ts";
import type { Session } from "./connections.ts";

/** Notes news of an address whose lock is held. Answers whether it was news. */
export async function noteNews(queries: Queries, session: Session, change: SuppressionChange): Promise<boolean> {
  const query = suppressionQueries(queries);
  const key = emailKey(change.email);
  const [known] = await session.all(query.known(key));
  const [subscriber] = await session.all(query.subscriber(key));
  const hasConfirmLink = (await session.all(query.confirmLink(key))).length > 0;
  const follows = decideNews(change, known, subscriber && { ...subscriber, hasConfirmLink });
  if (follows === null) return false;
  await session.run(query.write(key, follows.standing));
  if (follows.change !== null) await session.run(query.setStatus(key, follows.change));
  if (follows.killsConfirmLinks) await session.run(linkQueries(queries).killConfirmLinks(key));
  return true;
}
