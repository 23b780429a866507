// Inquiries in SQLite. Its functions run inside a transaction that the store has opened, or read.
import type { StoredInquiry } from "../records.ts";
import { storedInquiry } from "../rows/marketplace.ts";
import type { InquiryTable } from "../schema.ts";
import type { Position, ReadPage } from "./pages.ts";
import { type Engine, insertOf } from "./queries.ts";

export interface Inquiries {
  find(reference: string): StoredInquiry | null;
  /** Answers false when it is no spam. */
  release(reference: string): boolean;
  /** Answers false when the reference is taken; nothing is stored then. */
  insert(row: InquiryTable): boolean;
  readonly readPage: ReadPage<StoredInquiry>;
}

export function inquiriesOf({ connection, queries }: Engine): Inquiries {
  return {
    insert: insertOf<InquiryTable>(connection, (row) =>
      queries
        .insertInto("inquiry")
        .values(row)
        .onConflict((conflict) => conflict.column("reference").doNothing()),
    ),
    find(reference) {
      const found = queries.selectFrom("inquiry").selectAll().where("reference", "=", reference);
      const [row] = connection.all(found.compile());
      return row === undefined ? null : storedInquiry(row);
    },
    release(reference) {
      const spam = queries.updateTable("inquiry").where("reference", "=", reference).where("status", "=", "spam");
      return connection.run(spam.set({ status: "new" }).compile()) === 1;
    },
    readPage(after, limit) {
      const page = queries
        .selectFrom("inquiry")
        .selectAll()
        .where(({ eb, refTuple, tuple }) => eb(refTuple("received_at", "reference"), ">", tuple(after.at, after.key)))
        .orderBy("received_at")
        .orderBy("reference")
        .limit(limit);
      return connection.all(page.compile()).map(storedInquiry);
    },
  };
}

/** Where an inquiry or an application stands in the order of exports. */
export const receivedPosition = (row: { readonly receivedAt: number; readonly reference: string }): Position => ({
  at: row.receivedAt,
  key: row.reference,
});
