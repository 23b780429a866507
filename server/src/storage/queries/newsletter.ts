// The queries about subscribers that every engine runs alike. Builds them and runs none.
import type { Position } from "../pages.ts";
import type { Queries } from "./compile.ts";

export const subscriberQueries = (queries: Queries) => ({
  page: (after: Position, limit: number) =>
    queries
      .selectFrom("subscriber")
      .selectAll()
      .where(({ eb, refTuple, tuple }) => eb(refTuple("subscribed_at", "email_key"), ">", tuple(after.at, after.key)))
      .orderBy("subscribed_at")
      .orderBy("email_key")
      .limit(limit)
      .compile(),
});
