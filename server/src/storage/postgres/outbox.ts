// The outbox in PostgreSQL: what waits, who holds it, how it ended. Its functions run inside a transaction that the store
// has opened. Knows nothing of providers.
import { sql } from "kysely";
import type { Queries } from "../queries/compile.ts";
import { failed, outboxQueries, queued } from "../queries/outbox.ts";
import { suppressionQueries } from "../queries/suppression.ts";
import type { LeasedMail, MailSettlement } from "../records.ts";
import { leasedMails, settledColumns, settledValues, unleased, unreadableMail } from "../rows/outbox.ts";
import type { MailTable } from "../schema.ts";
import type { Lease, Store } from "../store.ts";
import { lockAddresses } from "./addressees.ts";
import { batchRows } from "./batches.ts";
import type { Session } from "./connections.ts";
import { rowsOf } from "./queries.ts";
import { noteNews } from "./suppression.ts";

export interface Outbox {
  claim(session: Session, now: number, limit: number, lease: Lease): Promise<LeasedMail[]>;
  settle(session: Session, settlements: readonly MailSettlement[], owner: string): Promise<void>;
  release(session: Session, owner: string, now: number): Promise<void>;
  /** Of many, a batch. */
  retry(session: Session, which: Parameters<Store["retryMails"]>[0], now: number): Promise<number>;
}

export function outboxOf(queries: Queries): Outbox {
  const query = outboxQueries(queries);
  const { addressee } = suppressionQueries(queries);

  async function settleAlike(
    session: Session,
    result: MailSettlement["result"],
    settlements: readonly MailSettlement[],
    owner: string,
  ): Promise<void> {
    const rows = settlements.flatMap((one): Partial<MailTable>[] => {
      if (one.result !== result) return [];
      const { tries, ...values } = settledValues(one);
      return [{ id: one.id, attempts: tries, ...settledColumns[result](values) }];
    });
    if (rows.length === 0) return;
    const columns = Object.keys(rows[0] ?? {}).filter((column) => column !== "id" && column !== "attempts");
    const written = sql.join(columns.map((column) => sql`${sql.ref(column)} = ${sql.ref(`settled.${column}`)}`));
    // A settlement counts the try, gives the lease back, and touches no mail that another owner holds.
    const settled = sql`UPDATE mail
      SET attempts = mail.attempts + settled.attempts, lease_owner = NULL, lease_until = NULL, ${written}
      FROM ${rowsOf("mail", rows)} AS settled
      WHERE mail.id = settled.id AND mail.status = ${queued} AND mail.lease_owner = ${owner}`;
    await session.run(settled.compile(queries));
  }

  async function settle(session: Session, settlements: readonly MailSettlement[], owner: string): Promise<void> {
    await noteRefusals(session, settlements, owner);
    for (const result of ["sent", "failed", "later"] as const) await settleAlike(session, result, settlements, owner);
  }

  // Before settling, which gives the lease away, by which a mail is known to be the owner's.
  async function noteRefusals(session: Session, settlements: readonly MailSettlement[], owner: string): Promise<void> {
    const refused = settlements.filter((one) => one.result === "failed" && one.inactiveRecipient === true);
    const news: { readonly email: string; readonly at: number }[] = [];
    for (const { id, at } of refused) {
      const [mail] = await session.all(addressee({ id, owner }));
      if (mail?.email) news.push({ email: mail.email, at });
    }
    await lockAddresses(
      queries,
      session,
      news.map(({ email }) => email),
    );
    for (const { email, at } of news) await noteNews(queries, session, { email, at, reason: "inactive" });
  }

  return {
    async claim(session, now, limit, lease) {
      // Those that another process is leasing at this moment are not waited for. Materialized, or the planner may run
      // the choice more than once and lease more than was asked for.
      const claimed = queries
        .with(
          (name) => name("due").materialized(),
          () => query.due(now, limit).forUpdate().skipLocked(),
        )
        .updateTable("mail")
        .from("due")
        .set(query.leased(lease))
        .whereRef("mail.id", "=", "due.id")
        .returningAll("mail");
      const { mails, unreadable } = leasedMails(await session.all(claimed.compile()));
      await settle(
        session,
        unreadable.map((row) => unreadableMail(row, now)),
        lease.owner,
      );
      return mails;
    },

    settle,

    async release(session, owner, now) {
      const released = queries
        .updateTable("mail")
        // An earlier due time stays: the oldest goes first.
        .set({ ...unleased, due_at: sql<number>`least(due_at, ${now}::bigint)` })
        .where("status", "=", queued)
        .where("lease_owner", "=", owner);
      await session.run(released.compile());
    },

    retry(session, which, now) {
      const woken = query.woken(which, now);
      if (which !== "all-failed") return session.run(woken.compile());
      const some = sql<boolean>`ctid = ANY (ARRAY (
        SELECT ctid FROM mail WHERE status = ${failed} ORDER BY created_at LIMIT ${batchRows} FOR UPDATE SKIP LOCKED
      ))`;
      return session.run(woken.where(some).compile());
    },
  };
}
