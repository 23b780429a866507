// Reads submissions and subscribers: one by its reference, or all in the order of their arrival.
import { readPages } from "../pages.ts";
import type { ScanState, StoredResume, StoredSubmission, StoredSubscriber, SubmissionKind } from "../records.ts";
import type { References } from "../rules/references.ts";
import { readResume, readSubmissionAnyway, submissionColumns, type SubmissionRow } from "../rules/submission-row.ts";
import { storedSubscriber, subscriberColumns, type SubscriberRow } from "../rules/subscriber-row.ts";
import type { ReadFrom } from "../store.ts";
import { retryWhileBusy } from "./busy.ts";
import type { SqliteConnection, Statement } from "./connection.ts";

const columns = submissionColumns.join(", ");

export type Reading = ReturnType<typeof prepareReading>;

export function prepareReading(connection: SqliteConnection, references: References) {
  const find = connection.prepare<[number, SubmissionKind], SubmissionRow & { resume_scan: ScanState | null }>(
    `SELECT ${columns}, resume_scan FROM submission WHERE day_number = ? AND kind = ?`,
  );
  const submissionWindow = prepareWindow(connection, "submission");
  const submissions = connection.prepare<[number, number, SubmissionKind, number], SubmissionRow>(`
    SELECT ${columns} FROM submission
    WHERE arrival > ? AND arrival <= ? AND kind = ? AND received_at >= ? ORDER BY arrival`);
  const subscriberWindow = prepareWindow(connection, "subscriber");
  const subscribers = connection.prepare<[number, number, number], SubscriberRow>(`
    SELECT ${subscriberColumns} FROM subscriber WHERE arrival > ? AND arrival <= ? AND subscribed_at >= ? ORDER BY arrival`);

  function findRow(reference: string) {
    const named = references.parse(reference);
    return named === null ? undefined : find.get(named.dayNumber, named.kind);
  }

  return {
    find(reference: string): StoredSubmission | null {
      const row = findRow(reference);
      return row === undefined ? null : readSubmissionAnyway(row);
    },

    findResume(reference: string): StoredResume | null {
      const row = findRow(reference);
      return row === undefined ? null : readResume(row);
    },

    submissions: <Kind extends SubmissionKind>(kind: Kind, { after = 0, since = 0 }: ReadFrom) =>
      readBehind(connection, after, submissionWindow, (from, to) =>
        submissions.all(from, to, kind, since).map(readSubmissionAnyway),
      ) as AsyncIterable<readonly Extract<StoredSubmission, { kind: Kind }>[]>,

    subscribers: ({ after = 0, since = 0 }: ReadFrom): AsyncIterable<readonly StoredSubscriber[]> =>
      readBehind(connection, after, subscriberWindow, (from, to) =>
        subscribers.all(from, to, since).map(storedSubscriber),
      ),
  };
}

type Window = Statement<[number, number], { last: number | null; count: number }>;

/** The next rows behind an arrival number, wanted or not: a page looks at no more, however rare the wanted ones are. */
const prepareWindow = (connection: SqliteConnection, table: "submission" | "subscriber"): Window =>
  connection.prepare(`
    SELECT max(arrival) AS last, count(*) AS count
    FROM (SELECT arrival FROM ${table} WHERE arrival > ? ORDER BY arrival LIMIT ?)`);

/** @param read the wanted rows of a window */
const readBehind = <Row>(
  connection: SqliteConnection,
  after: number,
  window: Window,
  read: (from: number, to: number) => readonly Row[],
) =>
  readPages(after, async (from, limit) => {
    const page = await retryWhileBusy(() => {
      const { last = null, count = 0 } = window.get(from, limit) ?? {};
      return { rows: last === null ? [] : read(from, last), last: count < limit ? null : last };
    });
    // The reader goes on behind these numbers, which would be given again if these rows were lost.
    await connection.settled();
    return page;
  });
