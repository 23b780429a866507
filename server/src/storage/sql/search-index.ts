// Makes submissions searchable, behind them and apart from them, and marks addresses at hosts of throw-away addresses.
import { indexedWords, letterTexts, whoTexts } from "../../search-words.ts";
import type { DeskStore } from "../desk-store.ts";
import type { StoredSubmission } from "../records.ts";
import { readSubmissionAnyway, submissionColumns, type SubmissionRow } from "../rules/submission-row.ts";
import { type Engine, only, type Query, type Steps, together } from "./engine.ts";

export interface IndexedWords {
  readonly arrival: number;
  readonly who: readonly string[];
  readonly letter: readonly string[];
}

export interface SearchIndex {
  /** Sets the words of submissions, in the order of their arrival numbers. */
  setWords(words: readonly IndexedWords[]): readonly Query<unknown>[];
  /** Removes words. To be called before the submissions are deleted. */
  removeWords(arrivals: readonly number[]): Steps<void>;
  /** Takes what is left of removed words out of the index, a part of it. Answers whether there is more. */
  mergeRemoved(): Steps<boolean>;
}

/** In one transaction, so that long letters of many hold up no submission for long. */
const wordsAtOnce = 10_000;
/** UTF-16 code units that are read for one transaction: a letter may say the same words again and again. */
const unitsAtOnce = 100_000;
/** Of what was written later about a submission: more than is looked at. A conversation may go on without an end. */
const laterBytesMax = 1_000_000;

export function makeIndexing(engine: Engine, { setWords, mergeRemoved }: SearchIndex) {
  const { prepare, among, locking, read, transaction } = engine;
  const progress = prepare<{ isDone: number }>(`
    SELECT CASE WHEN words_to >= (SELECT coalesce(max(arrival), 0) FROM submission) AND backlog_to = 0 AND removed = 0
        AND NOT EXISTS (SELECT 1 FROM search_again)
      THEN 1 ELSE 0 END AS "isDone"
    FROM search_progress`);
  // Held until the end of the transaction: processes take turns.
  const lockProgress = prepare<{ reached: number; backlog: number }>(`
    SELECT words_to AS reached, backlog_to AS backlog FROM search_progress ${locking("FOR UPDATE")}`);
  const setReached = prepare("UPDATE search_progress SET words_to = $1");
  const setBacklog = prepare("UPDATE search_progress SET backlog_to = $1");
  const next = prepare<SubmissionRow>(`
    SELECT ${submissionColumns} FROM submission WHERE arrival > $1 AND arrival <= $2 ORDER BY arrival LIMIT $3`);
  const before = prepare<SubmissionRow>(`
    SELECT ${submissionColumns} FROM submission WHERE arrival <= $1 ORDER BY arrival DESC LIMIT $2`);
  const again = prepare<SubmissionRow>(`
    SELECT ${submissionColumns} FROM submission
    WHERE arrival IN (SELECT submission FROM search_again ORDER BY submission LIMIT $1) ORDER BY arrival`);
  const isDoneAgain = prepare(`DELETE FROM search_again WHERE ${among("submission", "$1", "bigint")}`);
  // What was written later: a submission has it behind its own words, the first of it.
  const laterTexts = ["answer", "reply", "note"].map(
    (table) => `
    SELECT ${table}.submission, text FROM ${table} JOIN (
      SELECT id, sum(size) OVER (PARTITION BY submission ORDER BY id) AS so_far FROM (
        SELECT id, submission, octet_length(text) AS size FROM ${table}
        WHERE ${among("submission", "$1", "bigint")}) AS all_of_it
    ) AS sized ON sized.id = ${table}.id WHERE so_far <= ${laterBytesMax}`,
  );
  const textsOf = prepare<{ submission: number; text: string }>(laterTexts.join(" UNION ALL "));
  const mark = prepare("UPDATE submission SET disposable = $2, resume_sha256 = $3 WHERE arrival = $1");
  const lastComplete = engine.lastComplete("submission", "arrival");

  /** Rows that are read at once: fewer after long ones, which have more words than go into one transaction. */
  let rowsAtOnce = Infinity;

  /** The words of as many of them as go into one transaction. */
  function* wordsOfSome(submissions: readonly StoredSubmission[]): Steps<IndexedWords[]> {
    const written = yield* textsOf(submissions.map(({ arrival }) => arrival));
    const later = Map.groupBy(written, ({ submission }) => submission);
    const some: IndexedWords[] = [];
    let [words, units] = [0, 0];
    for (const submission of submissions) {
      const { arrival } = submission;
      const texts = [...letterTexts(submission), ...(later.get(arrival) ?? []).map(({ text }) => text)];
      for (const text of texts) units += text?.length ?? 0;
      if (some.length > 0 && units > unitsAtOnce) break;
      const one = { arrival, who: indexedWords(whoTexts(submission)), letter: indexedWords(texts) };
      words += one.who.length + one.letter.length;
      if (some.length > 0 && words > wordsAtOnce) break;
      some.push(one);
    }
    rowsAtOnce = some.length < submissions.length ? some.length : 2 * rowsAtOnce;
    return some;
  }

  return {
    async indexNext(limit, isDisposable) {
      // Without a transaction where there is nothing to do: this is asked for every second.
      if (only(await read(progress())).isDone === 1) return { indexed: 0, more: false };
      const end = await lastComplete();
      const rows = Math.min(limit, rowsAtOnce);
      const work = function* () {
        const { reached, backlog } = only(yield* lockProgress());
        const fresh = (yield* next(reached, end, rows)).map(readSubmissionAnyway);
        if (fresh.length > 0) {
          const words = yield* wordsOfSome(fresh);
          const marks = fresh.slice(0, words.length).flatMap((submission) => {
            const disposable = isDisposable(submission.email) ? 1 : 0;
            const sha256 = submission.resume?.sha256 ?? null;
            return disposable === 1 || sha256 !== null ? mark(submission.arrival, disposable, sha256) : [];
          });
          yield* together([...setWords(words), ...marks, setReached(words.at(-1)?.arrival ?? 0)]);
          return { indexed: words.length, more: fresh.length === rows || words.length < fresh.length || backlog > 0 };
        }
        const changed = (yield* again(rows)).map(readSubmissionAnyway);
        if (changed.length > 0) {
          const words = yield* wordsOfSome(changed);
          yield* together([...setWords(words), isDoneAgain(words.map(({ arrival }) => arrival))]);
          return { indexed: words.length, more: true };
        }
        if (backlog === 0) return { indexed: 0, more: yield* mergeRemoved() };
        // What an earlier release made searchable, the newest first. It is marked already.
        const words = yield* wordsOfSome((yield* before(backlog, rows)).map(readSubmissionAnyway));
        const left = (words.at(-1)?.arrival ?? 1) - 1;
        yield* together([...setWords(words.toReversed()), setBacklog(left)]);
        return { indexed: words.length, more: left > 0 };
      };
      return transaction(work, { repeatable: true })();
    },
  } satisfies Partial<DeskStore>;
}
