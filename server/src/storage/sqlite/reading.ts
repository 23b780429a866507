// Reads all submissions or subscribers in the order of their arrival.
import { readPages } from "../pages.ts";
import type { StoredSubmission, SubmissionKind } from "../records.ts";
import { readSubmissionAnyway, rowOfColumns, submissionColumns } from "../rules/submission-row.ts";
import { storedSubscriber, subscriberColumns, type SubscriberRow } from "../rules/subscriber-row.ts";
import type { ReadFrom, Store } from "../store.ts";
import { retryWhileBusy } from "./busy.ts";
import type { SqliteConnection } from "./connection.ts";

export function makeReading(connection: SqliteConnection) {
  const readSubmissionsBehind = prepareReader(connection, "submission");
  const submissions = connection.prepareArrays<[number, number, SubmissionKind, number], unknown[]>(`
    SELECT ${submissionColumns.join(", ")} FROM submission
    WHERE arrival BETWEEN ? AND ? AND kind = ? AND received_at >= ? ORDER BY arrival`);
  const readSubscribersBehind = prepareReader(connection, "subscriber");
  const subscribers = connection.prepare<[number, number, number], SubscriberRow>(`
    SELECT ${subscriberColumns} FROM subscriber WHERE arrival BETWEEN ? AND ? AND subscribed_at >= ? ORDER BY arrival`);

  return {
    readSubmissions: <Kind extends SubmissionKind>(kind: Kind, { after = 0, since = 0 }: ReadFrom) =>
      readSubmissionsBehind(after, (from, to) =>
        submissions.all(from, to, kind, since).map((values) => readSubmissionAnyway(rowOfColumns(values))),
      ) as AsyncIterable<readonly Extract<StoredSubmission, { kind: Kind }>[]>,

    readSubscribers: ({ after = 0, since = 0 }) =>
      readSubscribersBehind(after, (from, to) => subscribers.all(from, to, since).map(storedSubscriber)),
  } satisfies Partial<Store>;
}

/** Prepares to read a table, as far as it is stored when reading begins. */
function prepareReader(connection: SqliteConnection, table: "submission" | "subscriber") {
  const last = connection.prepare<[], { arrival: number }>(`SELECT coalesce(max(arrival), 0) AS arrival FROM ${table}`);
  const next = connection.prepare<[number, number], { arrival: number | null }>(
    `SELECT min(arrival) AS arrival FROM ${table} WHERE arrival > ? AND arrival <= ?`,
  );

  /**
   * A page covers `pageRows` arrival numbers, from the next row on. So gaps cost nothing, and no page takes long where
   * wanted rows are rare.
   *
   * @param read the wanted rows from one number to another
   */
  return async function* readBehind<Row>(
    after: number,
    read: (from: number, to: number) => readonly Row[],
  ): AsyncGenerator<readonly Row[], void, undefined> {
    const end = await retryWhileBusy(() => last.get()?.arrival ?? 0);
    yield* readPages(after, (position, count) =>
      retryWhileBusy(() => {
        const from = next.get(position, end)?.arrival ?? null;
        if (from === null) return { rows: [], last: null };
        const to = from + count - 1;
        return { rows: read(from, Math.min(to, end)), last: to < end ? to : null };
      }),
    );
  };
}
