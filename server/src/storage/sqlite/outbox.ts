// The outbox in SQLite: what waits, who holds it, how it ended. Its functions run inside a transaction that the store
// has opened, or read. Knows nothing of providers.
import { sql } from "kysely";
import { compileOnce } from "../queries/compile.ts";
import { outboxQueries, queued } from "../queries/outbox.ts";
import type { LeasedMail, MailSettlement, StoredMail } from "../records.ts";
import {
  leasedMails,
  settledColumns,
  type SettledValues,
  settledValues,
  storedMail,
  unleased,
  unreadableMail,
} from "../rows/outbox.ts";
import type { MailTable } from "../schema.ts";
import type { Lease, Store } from "../store.ts";
import { type Engine, insertOf } from "./queries.ts";

export interface Outbox {
  insert(row: MailTable): void;
  claim(now: number, limit: number, lease: Lease): LeasedMail[];
  settle(settlement: MailSettlement, owner: string): void;
  release(owner: string, now: number): void;
  retry(which: Parameters<Store["retryMails"]>[0], now: number): number;
  list(filter: Parameters<Store["listMails"]>[0]): StoredMail[];
  backlog(): Awaited<ReturnType<Store["mailBacklog"]>>;
}

export function outboxOf({ connection, queries }: Engine): Outbox {
  const query = outboxQueries(queries);
  const settle = settlementsOf({ connection, queries });
  return {
    insert: insertOf<MailTable>(connection, (row) => queries.insertInto("mail").values(row)),

    claim(now, limit, lease) {
      const claimed = queries.updateTable("mail").set(query.leased(lease)).where("id", "in", query.due(now, limit));
      const { mails, unreadable } = leasedMails(connection.all(claimed.returningAll().compile()));
      for (const row of unreadable) settle(unreadableMail(row, now), lease.owner);
      return mails;
    },

    settle,

    release(owner, now) {
      const released = queries
        .updateTable("mail")
        // An earlier due time stays: the oldest goes first.
        .set({ ...unleased, due_at: sql<number>`min(due_at, ${now})` })
        .where("status", "=", queued)
        .where("lease_owner", "=", owner);
      connection.run(released.compile());
    },

    retry: (which, now) => connection.run(query.woken(which, now).compile()),

    list: (filter) => connection.all(query.list(filter)).map(storedMail),

    backlog() {
      const [[waits], [gone]] = [connection.all(query.waiting()), connection.all(query.givenUp())];
      return { queued: waits?.count ?? 0, failed: gone?.count ?? 0, oldestCreatedAt: waits?.oldest ?? null };
    },
  };
}

// Compiled once: every mail is settled, and compiling costs more than updating. A settlement counts the try, gives the
// lease back, and touches no mail that another owner holds.
function settlementsOf({ connection, queries }: Engine): Outbox["settle"] {
  interface Values extends SettledValues {
    readonly id: string;
    readonly owner: string;
    readonly tries: number;
  }
  const names = ["id", "owner", "at", "providerId", "error", "dueAt", "denials", "tries"] as const;
  const statement = (result: MailSettlement["result"]) =>
    compileOnce(names, (values: Values) =>
      queries
        .updateTable("mail")
        .set((is) => ({ attempts: is("attempts", "+", values.tries), ...unleased, ...settledColumns[result](values) }))
        .where("id", "=", values.id)
        .where("status", "=", queued)
        .where("lease_owner", "=", values.owner),
    );
  const statements = { sent: statement("sent"), failed: statement("failed"), later: statement("later") };
  return (settlement, owner) => {
    const values = { ...settledValues(settlement), id: settlement.id, owner };
    connection.run(statements[settlement.result](values));
  };
}
