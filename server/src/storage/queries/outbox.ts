// The queries about the outbox that every engine runs alike. Builds them and runs none.
import { sql } from "kysely";
import type { MailStatus } from "../records.ts";
import { listedMailColumns } from "../rows/outbox.ts";
import type { Lease, Store } from "../store.ts";
import type { Queries } from "./compile.ts";

// Written into the text, not bound: planners use a partial index only where they can see that the condition holds.
export const queued = sql.lit<MailStatus>("queued");
export const failed = sql.lit<MailStatus>("failed");

export const outboxQueries = (queries: Queries) => ({
  /** The mails to be leased next, oldest due first. */
  due: (now: number, limit: number) =>
    queries
      .selectFrom("mail")
      .select("id")
      .where("status", "=", queued)
      .where("due_at", "<=", now)
      .where((is) => is.or([is("lease_until", "is", null), is("lease_until", "<", now)]))
      .orderBy("due_at")
      .orderBy("created_at")
      .limit(limit),

  /** What leasing writes. Whoever let a lease run out may have sent the mail and died before writing it down. */
  leased: (lease: Lease) => ({
    lease_owner: lease.owner,
    lease_until: lease.until,
    denials: sql<number | null>`CASE WHEN lease_owner <> ${lease.owner} THEN 0 ELSE denials END`,
  }),

  /** Makes mails due. */
  woken(which: Parameters<Store["retryMails"]>[0], now: number) {
    // A lease stays with its holder: the mail may be on its way at this moment.
    const due = queries.updateTable("mail").set({
      status: "queued",
      due_at: now,
      attempts: sql<number>`CASE WHEN status = ${failed} THEN 0 ELSE attempts END`,
    });
    return which === "all-failed"
      ? due.where("status", "=", failed)
      : due.where("id", "=", which.id).where("status", "in", ["queued", "failed"]);
  },

  list: ({ status, limit }: Parameters<Store["listMails"]>[0]) =>
    queries
      .selectFrom("mail")
      .select(listedMailColumns)
      .$if(status !== undefined, (all) => all.where("status", "=", sql.lit(status as MailStatus)))
      .orderBy("created_at", "desc")
      .limit(limit)
      .compile(),

  waiting: () =>
    queries
      .selectFrom("mail")
      .select(({ fn }) => [fn.countAll<number>().as("count"), fn.min<number | null>("created_at").as("oldest")])
      .where("status", "=", queued)
      .compile(),

  givenUp: () =>
    queries
      .selectFrom("mail")
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .where("status", "=", failed)
      .compile(),
});
