// Reads submissions and subscribers: one by its reference, or all in the order of their arrival.
import { type Page, readPages } from "../pages.ts";
import type { ScanState, StoredResume, StoredSubmission, StoredSubscriber, SubmissionKind } from "../records.ts";
import type { References } from "../rules/references.ts";
import { readResume, readSubmissionAnyway, submissionColumns, type SubmissionRow } from "../rules/submission-row.ts";
import { storedSubscriber, subscriberColumns, type SubscriberRow } from "../rules/subscriber-row.ts";
import type { ReadFrom } from "../store.ts";
import { retryWhileBusy } from "./busy.ts";
import type { SqliteConnection } from "./connection.ts";

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

    submissions<Kind extends SubmissionKind>(kind: Kind, { after = 0, since = 0 }: ReadFrom) {
      const read = (from: number, to: number) =>
        submissions.all(from, to, kind, since).map(readSubmissionAnyway) as Extract<StoredSubmission, { kind: Kind }>[];
      return readPages(after, (from, limit) => readPage(submissionWindow(from, limit), from, read));
    },

    subscribers({ after = 0, since = 0 }: ReadFrom): AsyncIterable<StoredSubscriber> {
      const read = (from: number, to: number) => subscribers.all(from, to, since).map(storedSubscriber);
      return readPages(after, (from, limit) => readPage(subscriberWindow(from, limit), from, read));
    },
  };
}

/** The next rows behind an arrival number, wanted or not: a page looks at no more, however rare the wanted ones are. */
function prepareWindow(connection: SqliteConnection, table: "submission" | "subscriber") {
  const window = connection.prepare<[number, number], { last: number | null; count: number }>(`
    SELECT max(arrival) AS last, count(*) AS count
    FROM (SELECT arrival FROM ${table} WHERE arrival > ? ORDER BY arrival LIMIT ?)`);
  return (after: number, limit: number) => () => {
    const { last = null, count = 0 } = window.get(after, limit) ?? {};
    return { last, isEnd: count < limit };
  };
}

function readPage<Row>(
  window: () => { readonly last: number | null; readonly isEnd: boolean },
  from: number,
  read: (from: number, to: number) => readonly Row[],
): Promise<Page<Row>> {
  return retryWhileBusy(() => {
    const { last, isEnd } = window();
    return { rows: last === null ? [] : read(from, last), last: isEnd ? null : last };
  });
}
