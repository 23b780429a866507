// Reads all submissions or subscribers in the order of their arrival.
import { readPages } from "../pages.ts";
import type { StoredSubmission, SubmissionKind } from "../records.ts";
import { readSubmissionAnyway, rowOfColumns, submissionColumns } from "../rules/submission-row.ts";
import { storedSubscriber, subscriberColumns, type SubscriberRow } from "../rules/subscriber-row.ts";
import type { ReadFrom, Store } from "../store.ts";
import type { SqliteConnection } from "./connection.ts";
import type { Reader } from "./reading-thread.ts";

export function makeReading(connection: SqliteConnection, reader: Reader) {
  const readSubmissionsBehind = prepareReader(connection, reader, "submission");
  const submissions = connection.prepareArrays<[number, number, SubmissionKind, number], unknown[]>(`
    SELECT ${submissionColumns.join(", ")} FROM submission
    WHERE arrival BETWEEN ? AND ? AND kind = ? AND received_at >= ? ORDER BY arrival`);
  const readSubscribersBehind = prepareReader(connection, reader, "subscriber");
  const subscribers = connection.prepare<[number, number, number], SubscriberRow>(`
    SELECT ${subscriberColumns} FROM subscriber WHERE arrival BETWEEN ? AND ? AND subscribed_at >= ? ORDER BY arrival`);

  return {
    readSubmissions: <Kind extends SubmissionKind>(kind: Kind, { after = 0, since = 0 }: ReadFrom) =>
      readSubmissionsBehind(after, async (from, to) =>
        (await reader.all(submissions, from, to, kind, since)).map((row) => readSubmissionAnyway(rowOfColumns(row))),
      ) as AsyncIterable<readonly Extract<StoredSubmission, { kind: Kind }>[]>,

    readSubscribers: ({ after = 0, since = 0 }) =>
      readSubscribersBehind(after, async (from, to) =>
        (await reader.all(subscribers, from, to, since)).map(storedSubscriber),
      ),
  } satisfies Partial<Store>;
}

/** Prepares to read a table, as far as it is stored when reading begins. */
function prepareReader(connection: SqliteConnection, reader: Reader, table: "submission" | "subscriber") {
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
    read: (from: number, to: number) => Promise<readonly Row[]>,
  ): AsyncGenerator<readonly Row[], void, undefined> {
    const end = (await reader.all(last))[0]?.arrival ?? 0;
    yield* readPages(after, async (position, count) => {
      const from = (await reader.all(next, position, end))[0]?.arrival ?? null;
      if (from === null) return { rows: [], last: null };
      const to = from + count - 1;
      return { rows: await read(from, Math.min(to, end)), last: to < end ? to : null };
    });
  };
}
