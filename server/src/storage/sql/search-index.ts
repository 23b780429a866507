// Makes submissions searchable, behind them and apart from them, and marks addresses at hosts of throw-away addresses.
import type { DeskStore } from "../desk-store.ts";
import type { StoredSubmission } from "../records.ts";
import { readSubmissionAnyway, submissionColumns, type SubmissionRow } from "../rules/submission-row.ts";
import { type Engine, only, type Query, together } from "./engine.ts";

export interface SearchIndex {
  /** Adds the words of submissions: those behind an arrival number up to the last. */
  addWords(after: number, last: number, submissions: readonly StoredSubmission[]): readonly Query<unknown>[];
  /** Removes words. To be called before the submissions are deleted. */
  removeWords(arrivals: readonly number[]): readonly Query<unknown>[];
}

export function makeIndexing(engine: Engine, { addWords }: SearchIndex) {
  const { prepare, locking, read, transaction } = engine;
  const progress = prepare<{ reached: number; last: number }>(
    "SELECT indexed_to AS reached, (SELECT coalesce(max(arrival), 0) FROM submission) AS last FROM search_progress",
  );
  // Held until the end of the transaction: processes take turns.
  const lockProgress = prepare<{ reached: number }>(
    `SELECT indexed_to AS reached FROM search_progress ${locking("FOR UPDATE")}`,
  );
  const setProgress = prepare("UPDATE search_progress SET indexed_to = $1");
  const next = prepare<SubmissionRow>(`
    SELECT ${submissionColumns} FROM submission WHERE arrival > $1 AND arrival <= $2 ORDER BY arrival LIMIT $3`);
  const mark = prepare("UPDATE submission SET disposable = $2, resume_sha256 = $3 WHERE arrival = $1");
  const lastComplete = engine.lastComplete("submission", "arrival");

  return {
    async indexNext(limit, isDisposable) {
      // Without a transaction where there is nothing to do: this is asked for every second.
      const { reached, last: latest } = only(await read(progress()));
      if (reached >= latest) return 0;
      const end = await lastComplete();
      const work = function* () {
        const after = only(yield* lockProgress()).reached;
        const submissions = (yield* next(after, end, limit)).map(readSubmissionAnyway);
        const last = submissions.at(-1)?.arrival;
        if (last === undefined) return 0;
        const marks = submissions.flatMap((submission) => {
          const disposable = isDisposable(submission.email) ? 1 : 0;
          const sha256 = submission.resume?.sha256 ?? null;
          return disposable === 1 || sha256 !== null ? mark(submission.arrival, disposable, sha256) : [];
        });
        yield* together([...addWords(after, last, submissions), ...marks, setProgress(last)]);
        return submissions.length;
      };
      return transaction(work, { repeatable: true });
    },
  } satisfies Partial<DeskStore>;
}
