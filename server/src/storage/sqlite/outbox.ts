// The outbox in SQLite: what waits, who holds it, how it ended. Its functions run inside a transaction that the store
// has opened, or read. Knows nothing of providers.
import { sql } from "kysely";
import type { LeasedMail, MailSettlement, MailStatus, StoredMail } from "../records.ts";
import { leasedMail, listedMailColumns, storedMail } from "../rows/outbox.ts";
import type { MailTable } from "../schema.ts";
import type { Lease, Store } from "../store.ts";
import { compileOnce, type Engine, insertOf } from "./queries.ts";

export interface Outbox {
  insert(row: MailTable): void;
  claim(now: number, limit: number, lease: Lease): LeasedMail[];
  settle(settlement: MailSettlement, owner: string): void;
  release(owner: string, now: number): void;
  retry(which: Parameters<Store["retryMails"]>[0], now: number): number;
  list(filter: { readonly status?: MailStatus; readonly limit: number }): StoredMail[];
  backlog(): { queued: number; failed: number; oldestCreatedAt: number | null };
}

// Written into the text, not bound: SQLite uses a partial index only where it can see that the condition holds.
const queued = sql.lit<MailStatus>("queued");
const failed = sql.lit<MailStatus>("failed");

const unleased = { lease_owner: null, lease_until: null };

// The links in a sent mail are as good as passwords, and its text is personal data that nobody needs a second time.
const bodyless = { reply_to: null, text: null, html: null, headers: null };

export function outboxOf({ connection, queries }: Engine): Outbox {
  const settle = settlementsOf({ connection, queries });
  return {
    insert: insertOf<MailTable>(connection, (row) => queries.insertInto("mail").values(row)),

    claim(now, limit, lease) {
      const due = queries
        .selectFrom("mail")
        .select("id")
        .where("status", "=", queued)
        .where("due_at", "<=", now)
        .where((is) => is.or([is("lease_until", "is", null), is("lease_until", "<", now)]))
        .orderBy("due_at")
        .orderBy("created_at")
        .limit(limit);
      const claimed = queries
        .updateTable("mail")
        .set({
          lease_owner: lease.owner,
          lease_until: lease.until,
          // Whoever let a lease run out may have sent the mail and died before writing it down.
          denials: sql<number | null>`CASE WHEN lease_owner <> ${lease.owner} THEN 0 ELSE denials END`,
        })
        .where("id", "in", due)
        .returningAll();
      // RETURNING promises no order.
      return connection
        .all(claimed.compile())
        .toSorted(byDueTime)
        .flatMap((row) => {
          const mail = leasedMail(row);
          if (mail !== null) return [mail];
          settle({ id: row.id, result: "failed", at: now, error: "unreadable row", denials: row.denials }, lease.owner);
          return [];
        });
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

    retry(which, now) {
      // A lease stays with its holder: the mail may be on its way at this moment.
      const due = queries.updateTable("mail").set({
        status: "queued",
        due_at: now,
        attempts: sql<number>`CASE WHEN status = ${failed} THEN 0 ELSE attempts END`,
      });
      const woken =
        which === "all-failed"
          ? due.where("status", "=", failed)
          : due.where("id", "=", which.id).where("status", "in", ["queued", "failed"]);
      return connection.run(woken.compile());
    },

    list({ status, limit }) {
      const listed = queries
        .selectFrom("mail")
        .select(listedMailColumns)
        .$if(status !== undefined, (all) => all.where("status", "=", sql.lit(status as MailStatus)))
        .orderBy("created_at", "desc")
        .limit(limit);
      return connection.all(listed.compile()).map(storedMail);
    },

    backlog() {
      const waiting = queries
        .selectFrom("mail")
        .select(({ fn }) => [fn.countAll<number>().as("count"), fn.min<number | null>("created_at").as("oldest")])
        .where("status", "=", queued);
      const givenUp = queries
        .selectFrom("mail")
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .where("status", "=", failed);
      const [waits, gone] = [connection.all(waiting.compile())[0], connection.all(givenUp.compile())[0]];
      return {
        queued: waits?.count ?? 0,
        failed: gone?.count ?? 0,
        oldestCreatedAt: waits?.oldest ?? null,
      };
    },
  };
}

const byDueTime = (a: MailTable, b: MailTable): number =>
  (a.due_at ?? 0) - (b.due_at ?? 0) || a.created_at - b.created_at;

// Compiled once: every mail is settled, and compiling costs more than updating. A settlement counts the try, gives the
// lease back, and touches no mail that another owner holds.
function settlementsOf({ connection, queries }: Engine): Outbox["settle"] {
  interface Values {
    readonly id: string;
    readonly owner: string;
    readonly at: number;
    readonly providerId: string;
    readonly error: string;
    readonly dueAt: number;
    readonly denials: number | null;
    readonly tries: number;
  }
  const names = ["id", "owner", "at", "providerId", "error", "dueAt", "denials", "tries"] as const;
  const statement = (write: (values: Values) => Partial<MailTable>) =>
    compileOnce(names, (values: Values) =>
      queries
        .updateTable("mail")
        .set((is) => ({ attempts: is("attempts", "+", values.tries), ...unleased, ...write(values) }))
        .where("id", "=", values.id)
        .where("status", "=", queued)
        .where("lease_owner", "=", values.owner),
    );
  const statements = {
    sent: statement(({ at, providerId }) => ({
      status: "sent",
      sent_at: at,
      provider_id: providerId,
      last_error: null,
      due_at: null,
      denials: null,
      ...bodyless,
    })),
    failed: statement(({ error, denials }) => ({ status: "failed", due_at: null, last_error: error, denials })),
    later: statement(({ dueAt, error, denials }) => ({ due_at: dueAt, last_error: error, denials })),
  };
  return (settlement, owner) => {
    const nothing = { providerId: "", error: "", dueAt: 0, denials: null };
    const tries = settlement.result === "later" && !settlement.tried ? 0 : 1;
    connection.run(statements[settlement.result]({ ...nothing, ...settlement, owner, tries }));
  };
}
