// Who must not be mailed, in SQLite. What news of an address changes is decided in `../suppression.ts`; here it is written
// down. Its functions run inside a transaction that the store has opened.
import { emailKey } from "@submissions/shared/fields";
import { linkQueries } from "../queries/newsletter-links.ts";
import { suppressionQueries } from "../queries/suppression.ts";
import type { SuppressionChange } from "../records.ts";
import { decideNews } from "../rules/suppression.ts";
import type { Engine } from "./queries.ts";

export interface Suppressions {
  /** Answers whether the change was news. */
  note(change: SuppressionChange): boolean;
  /** Notes that the recipient of a mail was refused, if the mail is the owner's and not for the team. */
  noteRefusal(refused: { readonly id: string; readonly at: number }, owner: string): void;
}

export function suppressionsOf({ connection, queries }: Engine): Suppressions {
  const query = suppressionQueries(queries);
  const { killConfirmLinks } = linkQueries(queries);

  const suppressions: Suppressions = {
    note(change) {
      const key = emailKey(change.email);
      const [known] = connection.all(query.known(key));
      const [subscriber] = connection.all(query.subscriber(key));
      const hasConfirmLink = connection.all(query.confirmLink(key)).length > 0;
      const follows = decideNews(change, known, subscriber && { ...subscriber, hasConfirmLink });
      if (follows === null) return false;
      connection.run(query.write(key, follows.standing));
      if (follows.change !== null) connection.run(query.setStatus(key, follows.change));
      if (follows.killsConfirmLinks) connection.run(killConfirmLinks(key));
      return true;
    },
    noteRefusal({ id, at }, owner) {
      for (const { email } of connection.all(query.addressee({ id, owner }))) {
        if (email !== null) suppressions.note({ email, reason: "inactive", at });
      }
    },
  };
  return suppressions;
}
