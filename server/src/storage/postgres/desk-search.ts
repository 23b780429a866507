// Makes submissions searchable, behind them and apart from them.
import type { DeskStore } from "../desk-store.ts";
import type { StoredSubmission } from "../records.ts";
import { readSubmissionAnyway, submissionColumns, type SubmissionRow } from "../rules/submission-row.ts";
import { indexedWords, letterTexts, whoTexts } from "../rules/words.ts";
import type { Engine } from "../sql/engine.ts";
import type { Connections } from "./connections.ts";
import type { Session } from "./session.ts";
import { prepared, type RowOf, rowsAs, valuesOf } from "./statement.ts";

// Held until the end of the transaction: processes take turns.
const lockProgress = prepared<{ reached: number }>("SELECT indexed_to AS reached FROM search_progress FOR UPDATE");

const progress = prepared<{ reached: number; last: number }>(
  "SELECT indexed_to AS reached, (SELECT coalesce(max(arrival), 0) FROM submission) AS last FROM search_progress",
);

const setProgress = prepared("UPDATE search_progress SET indexed_to = $1");

const next = prepared<SubmissionRow>(
  `SELECT ${submissionColumns.join(", ")} FROM submission WHERE arrival > $1 AND arrival <= $2 ORDER BY arrival LIMIT $3`,
);

const wordColumns = { arrival: "bigint", who: "text", letter: "text" } as const;

// Words travel as JSON, and become the lexemes as they are: what counts as a word is decided in `rules/words.ts`. A row
// that was erased meanwhile is left out.
const lexemes = (column: string) => `array_to_tsvector(ARRAY (SELECT jsonb_array_elements_text(${column}::jsonb)))`;
const insertWords = prepared(`
  INSERT INTO submission_search (arrival, who, letter)
  SELECT submission.arrival, ${lexemes("words.who")}, ${lexemes("words.letter")}
  FROM ${rowsAs("words", wordColumns)} JOIN submission ON submission.arrival = words.arrival
  FOR KEY SHARE OF submission
  ON CONFLICT (arrival) DO NOTHING`);

const markColumns = { arrival: "bigint", disposable: "integer", resume_sha256: "text" } as const;

const mark = prepared(`
  UPDATE submission SET disposable = marked.disposable, resume_sha256 = marked.resume_sha256
  FROM ${rowsAs("marked", markColumns)} WHERE submission.arrival = marked.arrival`);

export function makeDeskSearch(connections: Connections, engine: Engine) {
  const lastComplete = engine.lastComplete("submission", "arrival");

  return {
    async indexNext(limit, isDisposable) {
      const [now] = await connections.all(progress);
      if (now === undefined || now.reached >= now.last) return 0;
      const to = await lastComplete();
      const work = async (session: Session) => {
        const [at] = await session.all(lockProgress);
        const rows = await session.all(next, [at?.reached ?? 0, to, limit]);
        const last = rows.at(-1);
        if (last === undefined) return 0;
        const submissions = rows.map(readSubmissionAnyway);
        const marks = submissions
          .map((submission) => markOf(submission, isDisposable(submission.email)))
          .filter(({ disposable, resume_sha256 }) => disposable === 1 || resume_sha256 !== null);
        await session.run(insertWords, valuesOf(wordColumns, submissions.map(wordsOf)));
        if (marks.length > 0) await session.run(mark, valuesOf(markColumns, marks));
        await session.run(setProgress, [last.arrival]);
        return rows.length;
      };
      return connections.transaction(work, { repeatable: true });
    },
  } satisfies Partial<DeskStore>;
}

const wordsOf = (submission: StoredSubmission): RowOf<typeof wordColumns> => ({
  arrival: submission.arrival,
  who: JSON.stringify(indexedWords(whoTexts(submission))),
  letter: JSON.stringify(indexedWords(letterTexts(submission))),
});

const markOf = (submission: StoredSubmission, disposable: boolean): RowOf<typeof markColumns> => ({
  arrival: submission.arrival,
  disposable: disposable ? 1 : 0,
  resume_sha256: submission.kind === "application" ? (submission.resume?.sha256 ?? null) : null,
});
