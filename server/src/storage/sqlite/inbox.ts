// The lists and the search of the inbox on SQLite: FTS5 with words that are split and folded before.
import type { TypedWords } from "../../search-words.ts";
import { type Engine, only, together } from "../sql/engine.ts";
import type { Inbox } from "../sql/inbox-list.ts";
import type { IndexedWords, SearchIndex } from "../sql/search-index.ts";

/** Which rows an index has, in its own words, where a comparison with a value does not imply them. */
const partial = { assignee: "", disposable: "", kind: "", stage: "AND stage <> 'received'", status: "" };

export const inbox: Inbox = {
  walk: (column, value, { above, below, direction }) => ({
    condition: `${column} = ${value} AND arrival > ${above} AND arrival < ${below} ${partial[column]}`,
    order: `arrival ${direction}`,
  }),

  find({ search, letter }, { above, below }, bind) {
    const typed =
      search && `AND rowid IN (SELECT rowid FROM search_who WHERE search_who MATCH ${bind(typedMatch(search))})`;
    const rows = (table: "search_who" | "search_letter", match: string) => `
      SELECT rowid AS arrival FROM ${table}
      WHERE ${table} MATCH ${bind(match)} AND rowid > ${above} AND rowid < ${below}`;
    if (letter === undefined) return search === undefined ? "" : rows("search_who", typedMatch(search));
    const letters = rows("search_letter", typedMatch(letter.words));
    if (letter.isRest && letter.typed !== null) {
      const people = `SELECT rowid FROM search_who WHERE search_who MATCH ${bind(typedMatch(letter.typed))}`;
      return `${letters} AND rowid NOT IN (${people})`;
    }
    const found = [letters, ...(letter.typed === null ? [] : [rows("search_who", typedMatch(letter.typed))])];
    return found.map((one) => `${one} ${typed ?? ""}`).join(" UNION ");
  },
};

const quote = (word: string): string => `"${word}"`;

const typedMatch = ({ whole, beginnings }: TypedWords): string =>
  [...whole.map(quote), ...beginnings.map((word) => `${quote(word)}*`)].join(" ");

const names = ["who", "letter"] as const;

/** Pages of the index that one transaction merges: some milliseconds. */
const mergedPages = 32;

export function prepareSearchIndex({ prepare, among }: Engine): SearchIndex {
  const ofBoth = (text: (table: string) => string) => names.map((name) => prepare(text(`search_${name}`)));
  const command = (name: string, value: number) =>
    ofBoth((table) => `INSERT INTO ${table} (${table}, rank) VALUES ('${name}', ${value})`);
  const set = ofBoth(
    (table) => `
      INSERT OR REPLACE INTO ${table} (rowid, words)
      SELECT value ->> 'arrival', value ->> 'words' FROM json_each($1)`,
  );
  const remove = ofBoth((table) => `DELETE FROM ${table} WHERE ${among("rowid", "$1")}`);
  const [begin, goOn] = [command("merge", -mergedPages), command("merge", mergedPages)];
  const readRemoved = prepare<{ removed: number }>("SELECT removed FROM search_progress");
  const setRemoved = prepare("UPDATE search_progress SET removed = $1");
  const countChanges = prepare<{ changes: number }>("SELECT total_changes() AS changes");
  return {
    setWords: (words) =>
      set.map((one, at) => {
        const wordsOf = (row: IndexedWords) => ({ arrival: row.arrival, words: row[names[at]!].join(" ") });
        return one(JSON.stringify(words.map(wordsOf)));
      }),

    // FTS5's own `secure-delete` would overwrite them at once. But it damages an index whose rows have been replaced.
    *removeWords(arrivals) {
      if (arrivals.length > 0) yield* together([...remove.map((one) => one(arrivals)), setRemoved(1)]);
    },

    *mergeRemoved() {
      const { removed } = only(yield* readRemoved());
      if (removed === 0) return false;
      const merge = removed === 1 ? begin : goOn;
      const [[before]] = yield* together([countChanges(), ...merge.map((one) => one())]);
      const [after] = yield* countChanges();
      // Each of the two is a change of its own, also when nothing was left to merge.
      const isDone = (after?.changes ?? 0) - (before?.changes ?? 0) <= merge.length;
      yield* setRemoved(isDone ? 0 : 2);
      return !isDone;
    },
  };
}
