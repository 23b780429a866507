// The search of the inbox: FTS5 over views of the submissions, filled behind them by a job.
import type { StoredSubmission } from "../records.ts";
import { readSubmission, submissionColumns, type SubmissionRow } from "../rules/submission-row.ts";
import { searchedWords, typedWords } from "../rules/words.ts";
import { retryWhileBusy } from "./busy.ts";
import type { SqliteConnection } from "./connection.ts";
import type { RunJob } from "./jobs.ts";

type SearchTable = "search_who" | "search_letter";

/** What FTS5 is asked for; null: nothing can match. */
export function matchOf(
  table: SearchTable,
  text: string,
): { readonly table: SearchTable; readonly match: string } | null {
  if (table === "search_letter") {
    const words = searchedWords(text);
    return words.length === 0 ? null : { table, match: words.map((one) => `"${one}"`).join(" ") };
  }
  const typed = typedWords(text);
  if (typed === null) return null;
  return { table, match: [...typed.whole.map((one) => `"${one}"`), `"${typed.beginning}"*`].join(" ") };
}

export function prepareDeskSearch(connection: SqliteConnection, run: RunJob) {
  const progress = connection.prepare<[], { reached: number }>("SELECT indexed_to AS reached FROM search_progress");
  const setProgress = connection.prepare<[number]>("UPDATE search_progress SET indexed_to = ?");
  const next = connection.prepare<[number, number], SubmissionRow>(
    `SELECT ${submissionColumns.join(", ")} FROM submission WHERE arrival > ? ORDER BY arrival LIMIT ?`,
  );
  const addWho = connection.prepare<[number, number]>(`
    INSERT INTO search_who (rowid, name, email, company)
    SELECT arrival, name, email, company FROM submission_who WHERE arrival > ? AND arrival <= ? ORDER BY arrival`);
  const addLetter = connection.prepare<[number, number]>(`
    INSERT INTO search_letter (rowid, words)
    SELECT arrival, words FROM submission_letter WHERE arrival > ? AND arrival <= ? ORDER BY arrival`);
  const mark = connection.prepare<[number, string | null, number]>(
    "UPDATE submission SET disposable = ?, resume_sha256 = ? WHERE arrival = ?",
  );
  const removeWho = connection.prepare<[number]>("DELETE FROM search_who WHERE rowid = ?");
  const removeLetter = connection.prepare<[number]>("DELETE FROM search_letter WHERE rowid = ?");

  const indexedTo = () => progress.get()?.reached ?? 0;

  function index(limit: number, isDisposable: (email: string) => boolean): number {
    const from = indexedTo();
    const rows = next.all(from, limit);
    const last = rows.at(-1);
    if (last === undefined) return 0;
    addWho.run(from, last.arrival);
    addLetter.run(from, last.arrival);
    for (const row of rows) {
      const [disposable, sha256] = [isDisposable(row.email), sha256Of(readSubmission(row))];
      if (disposable || sha256 !== null) mark.run(disposable ? 1 : 0, sha256, row.arrival);
    }
    setProgress.run(last.arrival);
    return rows.length;
  }

  return {
    async indexNext(limit: number, isDisposable: (email: string) => boolean): Promise<number> {
      // Without a transaction where there is nothing to do: this is asked for every second.
      if (await retryWhileBusy(() => next.get(indexedTo(), 1) === undefined)) return 0;
      return run(() => index(limit, isDisposable));
    },

    /**
     * Runs inside a transaction of the commit queue. To be called before the submission itself is deleted: FTS5 reads from
     * it which words to remove.
     */
    remove(arrival: number): void {
      // Words that are not there cannot be removed.
      if (arrival > indexedTo()) return;
      removeWho.run(arrival);
      removeLetter.run(arrival);
    },
  };
}

const sha256Of = (submission: StoredSubmission | null): string | null =>
  submission?.kind === "application" ? (submission.resume?.sha256 ?? null) : null;
