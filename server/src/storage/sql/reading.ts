// Reads tables in the order of their numbers, as far as they are complete when reading begins.
import { setImmediate as nextTurn } from "node:timers/promises";
import { pageRows } from "../pages.ts";
import type { StoredSubmission, SubmissionKind } from "../records.ts";
import { readSubmissionAnyway, submissionColumns, type SubmissionRow } from "../rules/submission-row.ts";
import { storedSubscriber, subscriberColumns, type SubscriberRow } from "../rules/subscription.ts";
import type { ReadFrom, Store } from "../store.ts";
import type { Engine, Value } from "./engine.ts";

export function makeReading(engine: Engine) {
  const submissions = prepareReader<SubmissionRow>(engine, {
    table: "submission",
    number: "arrival",
    columns: submissionColumns,
    wanted: "AND kind = $3 AND received_at >= $4",
  });
  const subscribers = prepareReader<SubscriberRow>(engine, {
    table: "subscriber",
    number: "arrival",
    columns: subscriberColumns,
    wanted: "AND subscribed_at >= $3",
  });

  return {
    async *readSubmissions<Kind extends SubmissionKind>(kind: Kind, { after = 0, since = 0 }: ReadFrom) {
      for await (const rows of submissions(after, kind, since)) {
        yield rows.map(readSubmissionAnyway) as Extract<StoredSubmission, { kind: Kind }>[];
      }
    },

    async *readSubscribers({ after = 0, since = 0 }) {
      for await (const rows of subscribers(after, since)) yield rows.map(storedSubscriber);
    },
  } satisfies Partial<Store>;
}

interface Reading {
  readonly table: "submission" | "subscriber" | "audit";
  /** Its column of ascending numbers. */
  readonly number: "arrival" | "id";
  readonly columns: string;
  /** A further condition, with parameters from `$3` on. */
  readonly wanted?: string;
}

/**
 * Prepares to read a table behind a number, page by page: a generator that gave rows one by one would take as long as the
 * reading. A page covers `pageRows` numbers, from the next row on, and is not empty. So gaps cost nothing, and none takes
 * long where wanted rows are rare.
 */
export function prepareReader<Row>(engine: Engine, { table, number, columns, wanted = "" }: Reading) {
  const { prepare, read } = engine;
  const lastComplete = engine.lastComplete(table, number);
  const next = prepare<{ first: number | null }>(
    `SELECT min(${number}) AS first FROM ${table} WHERE ${number} > $1 AND ${number} <= $2`,
  );
  const page = prepare<Row>(
    `SELECT ${columns} FROM ${table} WHERE ${number} BETWEEN $1 AND $2 ${wanted} ORDER BY ${number}`,
  );

  return async function* readBehind(after: number, ...values: Value[]) {
    const end = await lastComplete();
    for (let position = after; ;) {
      const [{ first } = { first: null }] = await read(next(position, end));
      if (first === null) return;
      position = Math.min(first + pageRows - 1, end);
      const rows = await read(page(first, position, ...values));
      if (rows.length > 0) yield rows;
      // A consumer that never waits must not keep requests from being served.
      await nextTurn();
    }
  };
}
