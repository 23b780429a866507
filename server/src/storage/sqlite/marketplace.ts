// Inquiries in SQLite. Its functions run inside a transaction that the store has opened, or read.
import type { Position } from "../pages.ts";
import { receivedQueries } from "../queries/received.ts";
import type { StoredInquiry } from "../records.ts";
import { storedInquiry } from "../rows/marketplace.ts";
import type { InquiryTable } from "../schema.ts";
import { type Engine, insertOf } from "./queries.ts";

export interface Inquiries {
  find(reference: string): StoredInquiry | null;
  /** Answers false when it is no spam. */
  release(reference: string): boolean;
  /** Answers false when the reference is taken; nothing is stored then. */
  insert(row: InquiryTable): boolean;
  readPage(after: Position, limit: number): readonly StoredInquiry[];
}

export function inquiriesOf({ connection, queries }: Engine): Inquiries {
  const query = receivedQueries(queries, "inquiry");
  return {
    insert: insertOf<InquiryTable>(connection, (row) =>
      queries
        .insertInto("inquiry")
        .values(row)
        .onConflict((conflict) => conflict.column("reference").doNothing()),
    ),
    find: (reference) => connection.all(query.find(reference)).map(storedInquiry)[0] ?? null,
    release: (reference) => connection.run(query.release(reference)) === 1,
    readPage: (after, limit) => connection.all(query.page(after, limit)).map(storedInquiry),
  };
}
