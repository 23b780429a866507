// The transactions of the SQLite engine: jobs that come in together share one, and so one sync of the log.
import { reached } from "../../failpoint.ts";
import { TryAgain, CommitQueue } from "../commit-queue.ts";
import { decide } from "../rules/decide.ts";
import { type AddressedEntry, wantedBy } from "../rules/facts.ts";
import type { References } from "../rules/references.ts";
import { prepareWriting } from "../sql/accepting.ts";
import type { Engine } from "../sql/engine.ts";
import { type Acceptance, type CommitListener, StorageUnavailable } from "../store.ts";
import { asUnavailable, busyWaitMs, isBusy } from "./errors.ts";
import type { SqliteConnection } from "./connection.ts";
import { prepareLookUp, rowsOf } from "./engine.ts";

/** Most jobs in one transaction: with mails to settle among them it takes some milliseconds. */
const batchMax = 256;

/** Submissions of a transaction are accepted together; anything else is done by itself. */
type Job = AddressedEntry | (() => unknown);

/** @param accept accepts submissions within a transaction */
export function makeJobQueue(
  connection: SqliteConnection,
  accept: (entries: readonly AddressedEntry[]) => readonly Acceptance[],
  onCommit: CommitListener | undefined,
): CommitQueue<Job, unknown> {
  async function commit(jobs: readonly Job[]): Promise<readonly unknown[]> {
    try {
      connection.begin();
      const answers = accept(jobs.filter((job) => typeof job !== "function")).values();
      const results = jobs.map((job) => (typeof job === "function" ? job() : answers.next().value));
      connection.commit();
      return results;
    } catch (error) {
      undo(connection);
      const refusal = asUnavailable(error);
      if (refusal === null || !isBusy(error)) throw refusal ?? error;
      // Another process is in the way.
      return jobs.map(() => new TryAgain(refusal));
    }
  }

  return new CommitQueue<Job, unknown>({ batchMax, busyMs: busyWaitMs, commit, onCommit });
}

/** @throws StorageUnavailable when the disk refuses this as well; the next transaction tries it again */
function undo(connection: SqliteConnection): void {
  try {
    connection.rollback();
  } catch (error) {
    throw asUnavailable(error) ?? new StorageUnavailable("The transaction cannot be undone.", { cause: error });
  }
}

/** No other transaction runs meanwhile, so that the numbers of rows follow those that are stored. */
export function prepareAccept(connection: SqliteConnection, engine: Engine, references: References) {
  const write = prepareWriting(engine);
  const lookUp = prepareLookUp(connection);
  const last = connection.prepare<[string], { seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = ?");

  return (entries: readonly AddressedEntry[]): readonly Acceptance[] => {
    const { wanted, facts, numbers } = wantedBy(entries);
    const arrivals = behind(last.get("submission")?.seq, numbers.arrivals);
    const mails = behind(last.get("mail")?.seq, numbers.mails);
    lookUp(wanted, facts);
    const decision = decide(entries, facts, { arrivals, mails }, references);
    for (const query of write(decision)) rowsOf(query);
    reached("row-written");
    reached("before-commit");
    return decision.answers;
  };
}

const behind = (last = 0, count: number): number[] => Array.from({ length: count }, (_, index) => last + 1 + index);
